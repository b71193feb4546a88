import { describe, expect, it } from 'vitest';
import { createFailureWatch } from '../../src/engine/failure-watch.js';
import { NEVER } from '../support/fake-transport.js';
import { recordOf } from '../support/records.js';

const OK = recordOf();
const FAILED = recordOf({ outcome: 'http_error', error: { code: 'http_401', message: 'revoked' } });

/** A watch that was told of good (`.`) and failed (`x`) requests. */
function watchOf(outcomes: string, { maxFailed = 0, slots = 4 } = {}) {
  const watch = createFailureWatch(maxFailed, NEVER);
  for (const outcome of outcomes) watch.add(outcome === 'x' ? FAILED : OK, slots);
  return watch;
}

describe('createFailureWatch', () => {
  it('stops when most of the last 20 requests failed, not when half of them did', () => {
    const half = '.x'.repeat(10);
    expect(watchOf(half).stop.stopping).toBe(false);
    expect(watchOf(`${half.slice(1)}x`).stop.stopping).toBe(true);
    expect(watchOf(`${half.slice(1)}x`).seen()).toEqual({
      failed: 11,
      requests: 20,
      failedInAll: 11,
      error: 'http_401: revoked',
    });
  });

  it('looks at twice as many as are in flight, for those that fail fast are not alone', () => {
    const burst = `${'.'.repeat(100)}${'x'.repeat(64)}`;
    expect(watchOf(burst, { slots: 64 }).stop.stopping).toBe(false);
    expect(watchOf(`${burst}x`, { slots: 64 }).stop.stopping).toBe(true);
  });

  it('does not stop while no more failed than are tolerated', () => {
    expect(watchOf('x'.repeat(20), { maxFailed: 20 }).stop.stopping).toBe(false);
    expect(watchOf('x'.repeat(21), { maxFailed: 20 }).stop.stopping).toBe(true);
  });

  it('does not count warm-up, or requests that the stop itself aborted', () => {
    const watch = createFailureWatch(0, NEVER);
    for (let i = 0; i < 50; i++) {
      watch.add({ ...FAILED, phase: 'warmup' }, 4);
      watch.add({ ...FAILED, outcome: 'aborted' }, 4);
    }
    expect(watch.seen()).toBeNull();
  });
});
