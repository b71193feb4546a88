import type { TopLevelSpec } from 'vega-lite';
import { FONT, textWidth } from './style.js';

/**
 * Draws a figure as one SVG element. The chart libraries take a second to load and are loaded here, at the first figure.
 *
 * @throws Error when the specification is not one Vega-Lite can draw.
 */
export async function drawSvg(spec: TopLevelSpec): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  // Without a canvas Vega takes every letter for 0.8 em. The typings leave the switch out, it is a documented export.
  const { textMetrics } = vega as unknown as { readonly textMetrics: TextMetrics };
  textMetrics.width = (item, text) =>
    textWidth(String(text ?? item.text ?? ''), item.fontSize ?? 11, Number(item.fontWeight) >= 600);
  const refuse = (...message: readonly unknown[]) => {
    throw new Error(`figure: ${message.join(' ')}`);
  };
  const logger = createStrictLogger(refuse);
  const { spec: compiled } = vegaLite.compile(spec, { logger });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  try {
    return plainSvg(await view.toSVG(), String(spec.description ?? ''));
  } finally {
    view.finalize();
  }
}

interface TextMetrics {
  width: (
    item: { readonly text?: unknown; readonly fontSize?: number; readonly fontWeight?: unknown },
    text: unknown,
  ) => number;
}

/** Warnings of Vega-Lite are mistakes in a specification, and would be printed. */
function createStrictLogger(refuse: (...message: readonly unknown[]) => never) {
  const logger = {
    level: () => logger,
    error: refuse,
    warn: refuse,
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

/**
 * Makes Vega's SVG a still picture of half its size: no hints for pointers, no empty groups, the one font named once,
 * and coordinates to a tenth of a pixel.
 */
function plainSvg(svg: string, title: string): string {
  const inner = svg
    .replace(/ (?:pointer-events|class|font-family|role|aria-[a-z]+)="[^"]*"/g, '')
    .replace(/<path d="[^"]*"\/>/g, '')
    .replace(/ d="[^"]*"/g, (path) =>
      path.replace(/\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1)))),
    )
    .replace(/\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))))
    .replace(/(?:<g>\s*<\/g>)+/g, '');
  const text = escapeText(title);
  return inner.replace(
    /^<svg([^>]*)>/,
    (_, attributes: string) =>
      `<svg${attributes} role="img" aria-label="${text}" font-family="${escapeText(FONT)}"><title>${text}</title>`,
  );
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
