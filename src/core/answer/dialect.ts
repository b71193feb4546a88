import type { ServerTimes } from './request-record.js';

/** A parsed JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** Ids and data-parallel ranks as text, exact; each null when not said. */
export interface Workers {
  readonly prefillId: string | null;
  readonly prefillRank: string | null;
  readonly decodeId: string | null;
  readonly decodeRank: string | null;
}

/** No worker named. */
export const NO_WORKERS: Workers = { prefillId: null, prefillRank: null, decodeId: null, decodeRank: null };

/** What an answer says beyond the OpenAI API. */
export interface Extras {
  readonly workers: Workers | null;
  readonly server: ServerTimes | null;
  /** What named the workers: `body FIELD` or `header NAME`; null when nothing did. */
  readonly workerSource: string | null;
}

/** {@link Extras}, and the name of the dialect that said them; null when none did. */
export interface ReadExtras extends Extras {
  readonly dialect: string | null;
}

/** Value of a response header, by its lower-case name; null when absent. */
export type HeaderOf = (name: string) => string | null;

/** How one kind of router or engine is asked, what its answers say, and how it is made to say more. */
export interface Dialect {
  readonly name: string;
  /** As people write it. */
  readonly label: string;
  /** Body fields beside model, prompt and max_tokens; null where those of the engine behind it apply. */
  readonly requestFields: JsonObject | null;
  /** Reads an event or a whole body, parsed and as text; null when it says nothing of this dialect. */
  readonly readEvent?: (event: JsonObject, text: string) => Extras | null;
  /** Reads the headers of a response; null when they say nothing of this dialect. */
  readonly readHeaders?: (header: HeaderOf) => Extras | null;
  /** The option to set at the target, in its own spelling, so that it reports each. */
  readonly advice?: { readonly cachedTokens?: string; readonly workers?: string };
}
