import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { type Host, startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture, textOf } from '../support.ts';

const TOOL = fakeTool({
  name: 'library_add_cover',
  method: 'POST',
  input: {
    properties: {
      cover: {
        type: 'object',
        properties: {
          data: { type: 'string', contentEncoding: 'base64' },
          name: { type: 'string', examples: ['report.pdf'] },
          mimeType: { type: 'string', examples: ['image/png'] },
        },
        required: ['data', 'mimeType'],
        additionalProperties: false,
      },
      title: { type: 'string' },
    },
    required: ['cover'],
  },
  request: {
    body: {
      mediaType: 'multipart/form-data',
      as: 'multipart',
      members: { cover: { argument: 'cover', file: ['image/*'] }, title: 'title' },
    },
  },
});

let host: Host;
let fixture: Fixture;
let received = '';
beforeAll(async () => {
  host = await startHost((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received = Buffer.concat(chunks).toString('latin1');
      response.writeHead(204).end();
    });
  });
  fixture = createFixture({ origin: host.origin, tools: [TOOL] });
});
afterAll(async () => {
  await fixture.close();
  await host.close();
});

const LONG = Buffer.from('the secret content of a file'.repeat(1000)).toString('base64');

describe('a file that cannot be sent', () => {
  it.each<[title: string, cover: Record<string, unknown>, problem: string]>([
    [
      'invalid base64',
      { data: `${LONG}*`, mimeType: 'image/png' },
      '"cover.data" is not base64: it holds characters other than A-Z a-z 0-9 + / - _ and = at its end.',
    ],
    ['a wrong media type', { data: LONG, mimeType: 'text/csv' }, '"cover.mimeType" must be of image/*.'],
    [
      'a path as a name',
      { data: LONG, mimeType: 'image/png', name: 'a/b' },
      '"cover.name" must be the name of a file alone, such as report.pdf: no path, no control characters, at most 255 characters.',
    ],
  ])('because of %s is an error that a model can correct, before anything is sent', async (_title, cover, problem) => {
    const before = host.hits();
    const result = await fixture.call('library_add_cover', { cover, title: 'T' });
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments', retryable: false });
    expect(textOf(result).split('\n').slice(0, 3)).toEqual([
      'The arguments of library_add_cover are not valid:',
      `- ${problem}`,
      'Example: {"cover":{"data":"aGVsbG8=","mimeType":"image/png"},"title":"T"}',
    ]);
    expect(host.hits()).toBe(before);
    expect(fixture.faults).toEqual([]);
    expect(JSON.stringify([textOf(result), fixture.records])).not.toContain(LONG.slice(0, 40));
  });

  it('succeeds with the example from the error', async () => {
    const result = await fixture.call('library_add_cover', {
      cover: { data: 'aGVsbG8=', mimeType: 'image/png' },
      title: 'T',
    });
    expect(result.isError).toBeUndefined();
    expect(received).toContain('filename="cover"\r\nContent-Type: image/png\r\n\r\nhello\r\n');
  });
});

describe('a file that is sent', () => {
  it('is not in the record of the call', async () => {
    await fixture.call('library_add_cover', { cover: { data: LONG, mimeType: 'image/png' } });
    expect(received).toContain('the secret content of a file');
    expect(fixture.records.at(-1)).toMatchObject({ outcome: 'ok', requestBytes: expect.any(Number) });
    expect(JSON.stringify(fixture.records)).not.toContain(LONG.slice(0, 40));
    expect(JSON.stringify(fixture.records)).not.toContain('secret content');
  });
});
