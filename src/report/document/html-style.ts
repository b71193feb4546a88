import { COLOURS, FONT } from '../figures/style.js';

/** Figures hold middle tones; each theme maps them to its own. Attributes of an SVG give way to any rule. */
function figureRules(theme: 'light' | 'dark'): string {
  return Object.values(COLOURS)
    .map(
      (tones) =>
        `svg [fill="${tones.file}"]{fill:${tones[theme]}}svg [stroke="${tones.file}"]{stroke:${tones[theme]}}`,
    )
    .join('');
}

const LIGHT =
  '--page:#fff;--ink:#1c1c21;--soft:#5b5b66;--line:#d9d9e0;--fill:#f4f4f7;--good:#00694c;--bad:#a83a00;--stop:#b3261e';
const DARK =
  '--page:#14161a;--ink:#e6e6ea;--soft:#a2a2ad;--line:#363942;--fill:#1d2026;--good:#4ccfa6;--bad:#f29a66;--stop:#ff8a80';

/** The one style sheet of a report. */
export const REPORT_CSS = `
:root{${LIGHT}}
${figureRules('light')}
@media (prefers-color-scheme:dark){:root{${DARK}}${figureRules('dark')}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 ${FONT}}
main{max-width:760px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:24px;line-height:1.25;margin:0 0 8px}
h2{font-size:19px;margin:40px 0 12px;padding-top:12px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:24px 0 8px}
.answer{border-left:3px solid var(--ink);padding:2px 0 2px 16px;font-size:16px}
.answer p{margin:0 0 8px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:3px 8px;text-align:right;white-space:nowrap;vertical-align:baseline}
th{font-weight:600;border-bottom:1px solid var(--ink);white-space:normal;vertical-align:bottom}
td.name,.names-1 th:nth-child(-n+1),.names-2 th:nth-child(-n+2),.names-3 th:nth-child(-n+3),.text th{text-align:left}
.text td{white-space:normal;overflow-wrap:break-word;min-width:130px}.text td:first-child{min-width:0;white-space:nowrap}
tr.begins td{border-top:1px solid var(--line)}
td.missing{color:var(--soft);font-style:italic}
td small{display:block;font-size:11px;opacity:.85}
td.better{color:var(--good)}td.worse{color:var(--bad)}td.same{color:var(--soft)}
.note,figcaption,.muted{color:var(--soft);font-size:13px;margin:6px 0 0}
.notices{list-style:none;padding:0;margin:0}
.notices li{border-left:3px solid var(--line);padding:2px 0 2px 12px;margin:0 0 12px}
.notices li.forbid,.notices li.drop{border-color:var(--stop)}.notices li.withhold,.notices li.caution{border-color:var(--bad)}
.notices span{display:block}.notices .advice{color:var(--soft)}
code{font-size:12px;background:var(--fill);padding:1px 4px;border-radius:3px}
figure{margin:0 0 28px}
figure svg{display:block;width:100%;max-width:640px;min-width:440px;height:auto}
li{margin:0 0 4px}
@media print{main{max-width:none;padding:0}h2,h3{break-after:avoid}figure,tr{break-inside:avoid}.scroll{overflow:visible}figure svg{min-width:0}body{font-size:11px}table{font-size:9.5px}th,td{padding:2px 4px}}
`.replace(/\n/g, '');
