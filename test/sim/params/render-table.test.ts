import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SIM_PARAMS } from '../../../src/sim/params/declarations.js';
import { renderParamTable } from '../../../src/sim/params/render-table.js';

const doc = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');

describe('docs/simulator.md', () => {
  it('holds the table of parameters that the declarations give', () => {
    const table = /<!-- parameters -->\n([\s\S]*?)\n<!-- \/parameters -->/.exec(doc)?.[1];
    expect(table).toBe(renderParamTable());
  });

  it('says in whole sentences what each parameter is', () => {
    const declared = Object.entries(SIM_PARAMS);
    expect(declared.filter(([, { what }]) => !/\.\)?$/.test(what)).map(([key]) => key)).toEqual([]);
  });
});
