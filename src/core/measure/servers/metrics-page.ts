/** One number of a metrics page. */
export interface Sample {
  /** As {@link canonicalName} gives it. */
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** NaN and the infinities are left out of pages. */
  readonly value: number;
}

/** What a body at a metrics URL was. */
export type MetricsPage =
  | { readonly kind: 'page'; readonly samples: readonly Sample[] }
  /** Why it is none, in a few words. */
  | { readonly kind: 'no-page'; readonly why: string };

const NAME = /^[a-zA-Z_:][\w:]*/;
/** The value; a timestamp and an exemplar after it are not read. */
const VALUE = /^[ \t]+([^\s]+)(?:[ \t]+-?[\d.eE+]+)?[ \t]*(?:#.*)?$/;

/**
 * Reads Prometheus text (0.0.4) and OpenMetrics text (1.0). A last line without its end is left out, since a number cut
 * short is another number; so are NaN, infinite values and histogram buckets. A line that is none of either format makes the whole body no page.
 */
export function parseMetricsPage(body: string): MetricsPage {
  if (body.trim() === '') return noPage('an empty body');
  const lines = body.split('\n');
  lines.pop();
  if (lines.length === 0) return noPage(`no metrics page: ${shorten(body)}`);
  const samples: Sample[] = [];
  for (const raw of lines) {
    const line = raw.trim();
    // Buckets are most of a page, and none is read: leaving them out keeps a look within a trial short.
    if (line === '' || line.startsWith('#') || line.includes('_bucket{')) continue;
    const sample = parseSample(line);
    if (sample === null) return noPage(`no metrics page: ${shorten(line)}`);
    if (Number.isFinite(sample.value)) samples.push(sample);
  }
  return samples.length === 0 ? noPage('a page without a number') : { kind: 'page', samples };
}

/**
 * A name as every source of it is compared: `:` becomes `_` (sglang-router's `/engine_metrics` renames so), and a
 * counter's `_total` goes, which some client libraries add and others do not.
 */
export function canonicalName(name: string): string {
  return name.replaceAll(':', '_').replace(/_total$/, '');
}

function noPage(why: string): MetricsPage {
  return { kind: 'no-page', why };
}

function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

function parseSample(line: string): Sample | null {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return null;
  const labels = new Map<string, string>();
  const rest = line[name.length] === '{' ? readLabels(line, name.length + 1, labels) : name.length;
  const value = rest === null ? null : parseValue(VALUE.exec(line.slice(rest))?.[1]);
  return value === null ? null : { name: canonicalName(name), labels, value };
}

/** Null for what is no number of the format. */
function parseValue(text: string | undefined): number | null {
  if (text === undefined) return null;
  const special = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (special !== null) return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

/** Fills `labels` from behind the brace at `start`; where the line goes on behind the closing one, or null. */
function readLabels(line: string, start: number, labels: Map<string, string>): number | null {
  const pair = /[ ,]*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*/y;
  for (let at = start; ; ) {
    const end = /[ ,]*}/y;
    end.lastIndex = at;
    if (end.test(line)) return end.lastIndex;
    pair.lastIndex = at;
    const [, key, value] = pair.exec(line) ?? [];
    if (key === undefined || value === undefined) return null;
    labels.set(
      key,
      value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
    );
    at = pair.lastIndex;
  }
}
