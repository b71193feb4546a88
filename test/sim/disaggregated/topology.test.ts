import { describe, expect, it } from 'vitest';
import { labelsAt, localityOf, pathBetween, transferMs } from '../../../src/sim/disaggregated/topology.js';
import { checkTopology, type PlacedWorker, parsePool } from '../../../src/sim/params/pool.js';

const worker = (entry: string): PlacedWorker => parsePool('decode', entry)[0] as PlacedWorker;
const SETTINGS = {
  bytesPerToken: 114_688,
  hostGbps: 400,
  rdmaGbps: 100,
  tcpGbps: 10,
  latencyMs: { host: 0, rack: 0.1, zone: 0.5, region: 2, far: 30 },
};

describe('topology', () => {
  it('reads pools with counts, missing labels and marks', () => {
    const pool = parsePool(
      'decode',
      '2*h1/r1/z1/g1/rdma, h2/r1/-/g1/tcp:noload:valid=5,h3/r1/z1/g1/none:hidden',
    );
    expect(pool.length).toBe(4);
    expect(pool[0]).toEqual(pool[1]);
    expect(pool[2]).toEqual({
      place: { host: 'h2', rack: 'r1', zone: null, region: 'g1' },
      nic: 'tcp',
      labelValidMs: 5000,
      reportsLoad: false,
    });
    expect(pool[3]?.labelValidMs).toBe(0);
  });

  it('finds the closest level that both have; missing never matches missing', () => {
    const base = worker('h1/r1/z1/g1/rdma').place;
    expect(localityOf(base, worker('h1/r1/z1/g1/rdma').place)).toBe('host');
    expect(localityOf(base, worker('h2/r1/z1/g1/rdma').place)).toBe('rack');
    expect(localityOf(base, worker('h2/r2/z1/g1/rdma').place)).toBe('zone');
    expect(localityOf(base, worker('h2/r2/z2/g1/rdma').place)).toBe('region');
    expect(localityOf(base, worker('h2/r2/z2/g2/rdma').place)).toBe('far');
    expect(localityOf(base, worker('-/-/-/-/rdma').place)).toBe('unknown');
    expect(localityOf(worker('-/-/-/-/rdma').place, worker('-/-/-/-/rdma').place)).toBe('unknown');
    expect(localityOf(base, worker('-/r1/-/-/rdma').place)).toBe('rack');
  });

  it('forgets labels when their validity ends', () => {
    const stale = worker('h1/r1/z1/g1/rdma:valid=5');
    expect(labelsAt(stale, 4999).host).toBe('h1');
    expect(labelsAt(stale, 5000).host).toBe(null);
    expect(labelsAt(worker('h1/r1/z1/g1/rdma:hidden'), 0).host).toBe(null);
  });

  it('takes the host, RDMA when both have it, else TCP, else nothing', () => {
    const rdma = worker('h1/r1/z1/g1/rdma');
    expect(pathBetween(rdma, worker('h1/r1/z1/g1/none'))).toBe('host');
    expect(pathBetween(rdma, worker('h2/r1/z1/g1/rdma'))).toBe('rdma');
    expect(pathBetween(rdma, worker('h2/r1/z1/g1/tcp'))).toBe('tcp');
    expect(pathBetween(rdma, worker('h2/r1/z1/g1/none'))).toBe(null);
  });

  it('takes bytes per token x tokens / bandwidth + latency', () => {
    // 2,300 tokens of 112 KiB are 263,782,400 bytes: 211.026 ms at 10 Gbit/s.
    expect(transferMs(SETTINGS, 'tcp', 'zone', 2300)).toBeCloseTo(211.52592, 9);
    expect(transferMs(SETTINGS, 'rdma', 'rack', 2300)).toBeCloseTo(21.202592, 9);
    expect(transferMs(SETTINGS, 'host', 'host', 2300)).toBeCloseTo(5.275648, 9);
  });

  it.each([
    ['h1/r1/z1/g1', /COUNT\*HOST\/RACK\/ZONE\/REGION\/NIC .* got "h1\/r1\/z1\/g1"/],
    ['0*h1/r1/z1/g1/rdma', /got "0\*h1/],
    ['h1/r1/z1/g1/wifi', /NIC rdma, tcp or none/],
    ['h1/r1/z1/g1/tcp:slow', /unknown mark ":slow"/],
  ])('refuses the pool %s', (text, message) => {
    expect(() => parsePool('decode', text)).toThrow(message);
  });

  it('refuses a host in two racks', () => {
    const pools = parsePool('decode', 'h1/r1/z1/g1/rdma,h1/r2/z1/g1/rdma');
    expect(() => checkTopology(pools)).toThrow(
      'contradictory topology: host h1 is in rack r1 and in rack r2',
    );
    expect(() =>
      checkTopology(parsePool('decode', 'h1/r1/z1/g1/rdma,h2/r2/z1/g1/rdma,h1/-/z1/g1/tcp')),
    ).not.toThrow();
  });
});
