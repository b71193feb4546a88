/** Which workers answered, as response headers name them; each null when none does. */
export interface WorkerHeaders {
  readonly prefillWorker: string | null;
  readonly decodeWorker: string | null;
}

/** AIBrix's gateway, when prefill and decode are apart: https://github.com/vllm-project/aibrix. */
const PREFILL_HEADERS = ['prefill-target-pod'];
const DECODE_HEADERS = [
  /** AIBrix's gateway: the address of the pod it chose. */
  'target-pod',
  /** llm-d-inference-sim, with POD_NAME set: https://github.com/llm-d/llm-d-inference-sim. */
  'x-inference-pod',
  /** No router's own: for proxies configured to say who answered. */
  'x-worker-id',
];

/** The workers named by response headers, for servers that do not name them in the body. `header` gets lower-case names. */
export function readWorkerHeaders(header: (name: string) => string | null): WorkerHeaders {
  return {
    prefillWorker: firstOf(PREFILL_HEADERS, header),
    decodeWorker: firstOf(DECODE_HEADERS, header),
  };
}

function firstOf(names: readonly string[], header: (name: string) => string | null): string | null {
  for (const name of names) {
    const value = header(name);
    if (value !== null && value !== '') return value;
  }
  return null;
}
