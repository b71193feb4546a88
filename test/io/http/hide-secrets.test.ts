import { describe, expect, it } from 'vitest';
import { createHider } from '../../../src/io/http/hide-secrets.js';

describe('secrets that a server says back', () => {
  it('are the values of headers that are not known to be harmless, whole and in parts', () => {
    const hide = createHider({
      authorization: 'Bearer sk-123456',
      'x-tenant-key': 'tenant-9',
      'user-agent': 'my-client/1.0',
    });
    expect(hide?.('Bearer sk-123456, sk-123456, tenant-9 and Bearer of my-client/1.0')).toBe(
      '***, ***, *** and Bearer of my-client/1.0',
    );
  });

  it('are nothing where nothing could be one: short values are ordinary words', () => {
    expect(createHider({ accept: 'text/event-stream', 'x-beta': 'on' })).toBeNull();
  });
});
