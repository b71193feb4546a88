import { defineConfig } from 'vitest/config';

/** The drill: 20,000 requests to a target that goes wrong in every way it can; about a minute. */
export default defineConfig({ test: { include: ['test/drill/**/*.test.ts'], testTimeout: 180_000, fileParallelism: false } });
