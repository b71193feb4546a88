import { randomBytes } from 'node:crypto';

/** A salt no earlier run has used. */
export function drawSalt(): string {
  return randomBytes(8).toString('hex');
}
