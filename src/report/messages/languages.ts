import { EN, type Messages } from './en.js';
import { KO } from './ko.js';

export const LANGUAGES = ['en', 'ko'] as const;

export type Language = (typeof LANGUAGES)[number];

const DICTIONARIES: Readonly<Record<Language, Messages>> = { en: EN, ko: KO };

/** The dictionary of a language. */
export function wordsOf(language: Language): Messages {
  return DICTIONARIES[language];
}
