import { EN, type Messages } from './en.js';

export const LANGUAGES = ['en'] as const;

export type Language = (typeof LANGUAGES)[number];

const DICTIONARIES: Readonly<Record<Language, Messages>> = { en: EN };

/** The dictionary of a language. */
export function wordsOf(language: Language): Messages {
  return DICTIONARIES[language];
}
