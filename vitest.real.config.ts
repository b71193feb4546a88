import { defineConfig } from 'vitest/config';

/** Tests against real routers; they need what test/real/dynamo/setup.sh installs. */
export default defineConfig({ test: { include: ['test/real/**/*.test.ts'], fileParallelism: false } });
