#!/usr/bin/env node
// Opens a report in a real browser and measures what is seen: does any text of a figure overlap another, is any cut,
// does the page scroll sideways, and is every text readable on its page, at column and page width, light and dark.
//   node test/real/browser/check-report.mjs report.html        (CHROMIUM=/usr/bin/chromium)
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write('usage: check-report.mjs report.html\n');
  process.exit(2);
}
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const folder = await mkdtemp(join(tmpdir(), 'kvbench-browser-'));
const page = join(folder, 'report.html');
const probe = `<script>addEventListener('load', () => {
  document.body.insertAdjacentHTML('beforeend', '<pre id="seen">' + JSON.stringify((${measure})()) + '</pre>');
});</script>`;
await writeFile(
  page,
  (await readFile(path, 'utf8')).replace('</body>', () => `${probe}</body>`),
);

let bad = 0;
try {
  for (const width of [500, 760, 1200]) {
    for (const theme of ['light', 'dark']) {
      const seen = await look(width, theme);
      const problems = [...seen.cut, ...seen.overlaps, ...seen.faint, ...seen.wide];
      bad += problems.length;
      console.log(
        `${width} px, ${theme} (${seen.theme}): ${seen.figures} figures, ${seen.texts} texts in them, least contrast ${seen.least}, smallest text ${seen.smallest} px: ${problems.length === 0 ? 'good' : `${problems.length} problems`}`,
      );
      for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = bad === 0 ? 0 : 1;

async function look(width, theme) {
  const args = [
    ...[
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--hide-scrollbars',
    ],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    `--user-data-dir=${join(folder, `${width}-${theme}`)}`,
    `--blink-settings=preferredColorScheme=${theme === 'dark' ? 0 : 1}`,
    ...[`--window-size=${width},2000`, '--dump-dom', `file://${page}`],
  ];
  const { stdout } = await promisify(execFile)(chromium, args, { maxBuffer: 1 << 26, timeout: 60_000 });
  const found = /<pre id="seen">(\{.*?)<\/pre>/s.exec(stdout)?.[1];
  if (found === undefined) throw new Error(`${chromium} did not run the page`);
  return JSON.parse(found.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&'));
}

/** Runs in the page. */
function measure() {
  const seen = {
    theme: '',
    figures: 0,
    texts: 0,
    cut: [],
    overlaps: [],
    faint: [],
    wide: [],
    least: 99,
    smallest: 99,
  };
  seen.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    seen.wide.push(`the page is ${root.scrollWidth} px wide, the window ${root.clientWidth}`);
  const pageColour = channels(getComputedStyle(document.body).backgroundColor);
  for (const svg of document.querySelectorAll('svg')) {
    seen.figures += 1;
    const name = svg.getAttribute('aria-label');
    const frame = svg.getBoundingClientRect();
    const boxes = [];
    for (const text of svg.querySelectorAll('text')) {
      if (text.textContent.trim() === '') continue;
      seen.texts += 1;
      const box = text.getBoundingClientRect();
      const scale = frame.width / svg.viewBox.baseVal.width;
      const size = Number.parseFloat(getComputedStyle(text).fontSize) * scale;
      seen.smallest = Math.min(seen.smallest, Number(size.toFixed(1)));
      if (
        box.left < frame.left - 0.5 ||
        box.right > frame.right + 0.5 ||
        box.top < frame.top - 0.5 ||
        box.bottom > frame.bottom + 0.5
      )
        seen.cut.push(`${name}: "${text.textContent}" is cut`);
      const style = getComputedStyle(text);
      const on = text.getAttribute('fill') === '#fefefe' ? null : pageColour;
      if (on !== null) check(`${name}: "${text.textContent}"`, contrast(channels(style.fill), on));
      boxes.push({ box, text: text.textContent });
    }
    for (let i = 0; i < boxes.length; i++) {
      for (let j = i + 1; j < boxes.length; j++) {
        const [a, b] = [boxes[i].box, boxes[j].box];
        // Line boxes are taller than letters: two lines may share a pixel or two of them.
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 3) seen.overlaps.push(`${name}: "${boxes[i].text}" overlaps "${boxes[j].text}"`);
      }
    }
  }
  for (const element of document.querySelectorAll('p, td, th, h1, h2, h3, li, figcaption')) {
    if (element.textContent.trim() === '') continue;
    check(
      `"${element.textContent.slice(0, 40)}"`,
      contrast(channels(getComputedStyle(element).color), pageColour),
    );
  }
  return seen;

  function check(what, ratio) {
    seen.least = Math.min(seen.least, Number(ratio.toFixed(2)));
    if (ratio < 4.5) seen.faint.push(`${what} has contrast ${ratio.toFixed(2)}`);
  }
  function channels(colour) {
    return colour
      .match(/[\d.]+/g)
      .slice(0, 3)
      .map(Number);
  }
  function contrast(a, b) {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }
  function light(rgb) {
    const [r, g, b] = rgb
      .map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
}
