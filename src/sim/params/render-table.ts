import { SIM_PARAMS, type SimParam } from './declarations.js';

/** Every parameter of `sim:` as a Markdown table, from the declarations; docs/simulator.md holds it. */
export function renderParamTable(): string {
  const declared: [string, SimParam][] = Object.entries(SIM_PARAMS);
  const rows = declared.map(([key, { unit = '', default: initial, what, policies = [], source = '' }]) => {
    const names =
      policies.length === 0 ? 'all' : policies.length > 4 ? 'all with a router' : policies.join(', ');
    return `| \`${key}\` | ${unit} | ${initial === null ? '' : `\`${initial}\``} | ${what} | ${names} | ${source} |`;
  });
  return [
    '| key | unit | default | what | policies | source |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
