import { describe, expect, it } from 'vitest';
import { toBytes, toUploads, type Upload } from '../../../../../server/call/upstream/serialize-files.ts';
import { CannotSendError } from '../../../../../server/call/upstream/serialize-sources.ts';

const AVATAR = { place: 'body', parameter: 'picture', argument: 'avatar', subject: 'avatar' } as const;

function bytesOf(data: string): number[] {
  return [...(toUploads({ data }, AVATAR, []) as Upload).bytes];
}

function problemOf(value: unknown, accepted: readonly string[] = []): string {
  try {
    toUploads(value, AVATAR, accepted);
  } catch (error) {
    if (error instanceof CannotSendError && error.argument === 'avatar') return error.message;
    throw error;
  }
  return 'none';
}

const NO_NAME =
  '"avatar.name" must be the name of a file alone, such as report.pdf: no path, no control characters, at most 255 characters.';

describe('a file argument', () => {
  it.each([
    ['the standard alphabet', '+/+/', [251, 255, 191]],
    ['the URL-safe alphabet', '-_-_', [251, 255, 191]],
    ['no padding', 'aGk', [104, 105]],
    ['padding', 'aA==', [104]],
    ['whitespace', ' aG\r\n\tk=\n', [104, 105]],
    ['no data at all', '', []],
  ])('may be written with %s', (_title, data, want) => {
    expect(bytesOf(data)).toEqual(want);
  });

  it.each<[title: string, value: unknown, want: string]>([
    [
      'other characters',
      { data: 'a*b=' },
      '"avatar.data" is not base64: it holds characters other than A-Z a-z 0-9 + / - _ and = at its end.',
    ],
    [
      'one character too many',
      { data: 'aGkaG' },
      '"avatar.data" is not base64: its length says that characters are missing.',
    ],
    ['wrong padding', { data: 'aGk==' }, '"avatar.data" is not base64: its length says that characters are missing.'],
    [
      'a data URL',
      { data: 'data:image/png;base64,aGk=' },
      '"avatar.data" is a data URL: give only what follows its comma.',
    ],
    ['no data', { name: 'a.png' }, '"avatar.data" is missing: the content in base64.'],
    ['a path as a name', { data: '', name: '../a' }, NO_NAME],
    ['a Windows path as a name', { data: '', name: 'c:\\a' }, NO_NAME],
    ['a line break in the name', { data: '', name: 'a\r\nb' }, NO_NAME],
    ['an empty name', { data: '', name: '' }, NO_NAME],
    ['a lone surrogate in the name', { data: '', name: '\ud800' }, NO_NAME],
    ['a very long name', { data: '', name: 'a'.repeat(256) }, NO_NAME],
    ['no media type', { data: '', mimeType: 'png' }, '"avatar.mimeType" must be one media type, such as image/png.'],
    [
      'a media range',
      { data: '', mimeType: 'image/*' },
      '"avatar.mimeType" must be one media type, such as image/png.',
    ],
    [
      'a media type that would end its header',
      { data: '', mimeType: 'image/png\r\nX: 1' },
      '"avatar.mimeType" must be one media type, such as image/png.',
    ],
  ])('is rejected with %s', (_title, value, want) => {
    expect(problemOf(value)).toBe(want);
  });

  it.each<[title: string, mimeType: string | undefined, accepted: readonly string[], want: string]>([
    ['a type of the list', 'image/PNG', ['image/jpeg', 'image/png'], 'none'],
    ['a type with parameters', 'text/csv; header=present', ['text/csv'], 'none'],
    ['a type in a range', 'image/png', ['image/*'], 'none'],
    ['any type for */*', 'image/png', ['*/*'], 'none'],
    [
      'a type that is not accepted',
      'video/mp4',
      ['image/*', 'text/csv'],
      '"avatar.mimeType" must be of image/*, text/csv.',
    ],
    [
      'no type where only ranges are accepted',
      undefined,
      ['image/*'],
      '"avatar.mimeType" is missing: the media type of the content, of image/*.',
    ],
  ])('of %s is checked', (_title, mimeType, accepted, want) => {
    expect(problemOf({ data: '', mimeType }, accepted)).toBe(want);
  });

  it('in a list is named by its index', () => {
    expect(problemOf([{ data: '' }, { data: '*' }])).toContain('"avatar[1].data" is not base64');
  });

  it('that was left out stays undefined', () => {
    expect(toUploads(undefined, AVATAR, [])).toBeUndefined();
    expect(toUploads({ data: undefined, name: undefined }, AVATAR, [])).toBeUndefined();
  });

  it('that is built from several arguments is rejected by the invalid one', () => {
    const place = { ...AVATAR, argument: null, subject: 'picture', entries: { data: 'content', name: 'title' } };
    expect(() => toUploads({ data: 'aGk=', name: 'a/b' }, place, [])).toThrow(
      expect.objectContaining({ argument: 'title', message: expect.stringMatching(/^"title" must be the name/) }),
    );
  });

  it('that is only bytes is rejected by its own name', () => {
    expect(() => toBytes('*', { ...AVATAR, subject: 'body' })).toThrow('"body" is not base64');
  });
});
