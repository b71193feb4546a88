/** Exit codes of the contract (DESIGN.md, section 5). */
export const EXIT = {
  good: 0,
  findings: 1,
  usage: 2,
  unreachable: 3,
  tooManyFailed: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * An error meant for the user: one line that says what, where and what was got, and a hint that says what to do.
 * Only edges throw it (files, options, scenario, readiness); a request never throws, it becomes an outcome.
 */
export class KvbenchError extends Error {
  override readonly name = 'KvbenchError';
  /** Stable identifier, kebab-case. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What to do about it; null when the message says it all. */
  readonly hint: string | null;

  constructor(options: {
    readonly code: string;
    readonly message: string;
    readonly exitCode: ExitCode;
    readonly hint?: string | undefined;
  }) {
    super(options.message);
    this.code = options.code;
    this.exitCode = options.exitCode;
    this.hint = options.hint ?? null;
  }
}

/** A {@link KvbenchError} for bad usage: flags, scenario files, URLs, directories. Exit code 2. */
export function usageError(code: string, message: string, hint?: string): KvbenchError {
  return new KvbenchError({ code, message, exitCode: EXIT.usage, hint });
}
