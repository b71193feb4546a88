import { defineConfig } from 'vitest/config';

/** Routers over vLLM on the CPU, 6 GB from test/real/vllm/setup.sh; not in the gate. */
export default defineConfig({ test: { include: ['test/real/vllm/**/*.test.ts'], fileParallelism: false } });
