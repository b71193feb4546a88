import { SIM_PARAMS } from './declarations.js';

/** The table of every parameter of `sim:`, Markdown, from the declarations; it stands in docs/simulator.md. */
export function renderParamTable(): string {
  const rows = SIM_PARAMS.map((param) => {
    const policies =
      param.policies === null
        ? 'all'
        : param.policies.length > 4
          ? 'all with a router'
          : param.policies.join(', ');
    const initial = param.default === '' ? '' : `\`${param.default}\``;
    return `| \`${param.key}\` | ${param.unit} | ${initial} | ${param.what} | ${policies} | ${param.source} |`;
  });
  return [
    '| key | unit | default | what | policies | source |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
