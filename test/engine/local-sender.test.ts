import { describe, expect, it } from 'vitest';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import { createLocalSender } from '../../src/engine/local-sender.js';
import { createFakeTransport, NEVER, testClock } from '../support/fake-transport.js';
import { drawFirstTrial } from '../support/trials.js';

const SCENARIO = resolveScenario(
  { url: 'http://h', prefixes: [2], concurrency: [2], requests: 6, salt: 'first' },
  () => 'kv',
);
const PHASE = { trial: drawFirstTrial(SCENARIO), phase: 'measure', slots: 2 } as const;

describe('a local sender', () => {
  it('makes the prompts of the salt that a phase names: a trial that is run again has another', async () => {
    const clock = testClock();
    const transport = createFakeTransport(clock, () => ({ ms: 1 }));
    const monitor = { start: () => {}, firstToken: () => {}, stop: () => null };
    const sender = createLocalSender(SCENARIO, 'kv', { clock, transport, stop: NEVER, monitor });
    await sender.run({ ...PHASE, salt: 'first' }, () => {});
    await sender.run({ ...PHASE, salt: 'again' }, () => {});
    const salts = transport.sent.map(({ prompt }) => prompt.shared[0]?.id.split('/salt/')[1]);
    expect(salts).toEqual([...new Array<string>(6).fill('first'), ...new Array<string>(6).fill('again')]);
  });

  it('sends only what it claims', async () => {
    const clock = testClock();
    const transport = createFakeTransport(clock, () => ({ ms: 1 }));
    const monitor = { start: () => {}, firstToken: () => {}, stop: () => null };
    let next = 1;
    const share = {
      originMs: 0,
      take: () => {
        next += 2;
        return next - 2;
      },
    };
    const seqs: number[] = [];
    const sender = createLocalSender(SCENARIO, 'kv', { clock, transport, stop: NEVER, monitor }, () => share);
    await sender.run({ ...PHASE, salt: '' }, ({ record }) => seqs.push(record.seq));
    expect(seqs).toEqual([1, 3, 5]);
  });
});
