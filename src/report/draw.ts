import type { TopLevelSpec } from 'vega-lite';
import { textWidth } from './figure-style.js';

/**
 * Draws a figure as one SVG element. The chart libraries take a second to load and are loaded here, at the first figure.
 *
 * @throws Error when the specification is not one Vega-Lite can draw.
 */
export async function drawSvg(spec: TopLevelSpec): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  // Without a canvas Vega takes every letter for 0.8 em. The typings leave the switch out, it is a documented export.
  const { textMetrics } = vega as unknown as { readonly textMetrics: TextMetrics };
  textMetrics.width = (item, text) => textWidth(String(text ?? item.text ?? ''), item.fontSize ?? 11);
  const refuse = (...message: readonly unknown[]) => {
    throw new Error(`figure: ${message.join(' ')}`);
  };
  const logger = createStrictLogger(refuse);
  const { spec: compiled } = vegaLite.compile(spec, { logger });
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  try {
    return plainSvg(await view.toSVG());
  } finally {
    view.finalize();
  }
}

interface TextMetrics {
  width: (item: { readonly text?: unknown; readonly fontSize?: number }, text: unknown) => number;
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

/** Drops what a still picture has no use for: pointer hints, roles of inner marks, empty backgrounds; half of the bytes. */
function plainSvg(svg: string): string {
  return svg
    .replace(/ (?:pointer-events|aria-roledescription|aria-hidden|role)="[^"]*"/g, '')
    .replace(/<path class="background"[^>]*\/>/g, '')
    .replace(/<path class="foreground"[^>]*\/>/g, '')
    .replace(/ class="[^"]*"/g, '')
    .replace(/<g><\/g>/g, '')
    .replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))));
}
