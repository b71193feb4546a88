import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces what stands between two marks in a document. */
export function fillMark(path, mark, text) {
  const document = readFileSync(path, 'utf8');
  const pattern = new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  if (!pattern.test(document)) throw new Error(`${path} has no mark ${mark}`);
  writeFileSync(
    path,
    document.replace(pattern, (_, open, close) => `${open}${text}\n${close}`),
  );
}
