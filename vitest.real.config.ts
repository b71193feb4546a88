import { defineConfig } from 'vitest/config';

/** Tests against real routers; they need what setup.sh in test/real/dynamo and test/real/routers installs. */
export default defineConfig({ test: { include: ['test/real/*.test.ts'], fileParallelism: false } });
