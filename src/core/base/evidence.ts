/**
 * What the records show, in no language: a key with its figures. Numbers are as they are shown, and texts of numbers were
 * rounded first, so that every language shows the same digits. The sentences are in report/messages.
 */
export interface Evidence {
  readonly key: string;
  /** One object of named figures; null where the key says it all. */
  readonly values: unknown;
  /** The variant it was seen of, where the sentence does not name it. */
  readonly label?: string;
}

/** Makes evidence whose figures fit its key; `M` maps each key to its figures. */
export function evidenceMaker<M>(): <K extends keyof M & string>(key: K, values: M[K]) => Evidence {
  return (key, values) => ({ key, values });
}
