// The comparison with a real router, from what bench/real-router.mjs measured.

import { table } from './render.mjs';

export function renderRealRouter(measured) {
  const { setup, rows } = measured;
  const body = rows.map((row) => [
    `${row.prefixes}, ${row.concurrency}`,
    ...['round-robin', 'kv'].flatMap((mode) => {
      const { real, simulated } = row[mode];
      const difference = 100 * (simulated.request_hit_rate - real.request_hit_rate);
      return [
        `${(100 * real.request_hit_rate).toFixed(1)} → ${(100 * simulated.request_hit_rate).toFixed(1)}`,
        `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(1)}`,
        `${real.workers_per_prefix.toFixed(2)} → ${simulated.workers_per_prefix.toFixed(2)}`,
      ];
    }),
  ]);
  const head = ['prefixes, concurrency'];
  for (const mode of ['round-robin', 'kv'])
    head.push(`${mode}: hit rate, %`, 'off, points', 'workers per prefix');
  return `## Against the real router\n\n${setup}\n\n${table(head, body)}\n\n${measured.notes}`;
}
