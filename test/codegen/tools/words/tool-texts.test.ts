import { describe, expect, it } from 'vitest';
import { toBareDescription, toDefaultDescription, toDefaultTitle } from '../../../../codegen/tools/words/tool-texts.ts';
import { operation } from '../service.ts';

describe('a default title', () => {
  it.each([
    ['is the words of a summary that is a name in code', { summary: 'CancelSubscription' }, 'Cancel subscription'],
    ['is the words of a summary with underscores', { summary: 'cancel_subscription' }, 'Cancel subscription'],
    ['keeps a summary of one word', { summary: 'GraphQL search' }, 'GraphQL search'],
    ['is the summary without markup', { summary: 'List <b>notes</b>.' }, 'List notes'],
    [
      'is the verb phrase at the start of the description',
      { summary: '', description: 'Lists notes. Newest first.' },
      'Lists notes',
    ],
    [
      'prefers the operationId to a sentence without a verb',
      { summary: '', description: 'Newest first.' },
      'List things',
    ],
    ['prefers a sentence to the path', { id: null, summary: '', description: 'Newest first.' }, 'Newest first'],
    [
      'prefers the path to a long sentence',
      { id: null, summary: '', description: `${'Notes '.repeat(20)}.` },
      'Get things',
    ],
  ])('%s', (_title, over, want) => {
    expect(toDefaultTitle(operation(over))).toBe(want);
  });
});

describe('a default description', () => {
  it.each([
    [
      'does not repeat a summary that it paraphrases',
      { summary: 'List notes', description: 'Lists every note of a user.\n\nNewest first.' },
      'Lists every note of a user.\n\nNewest first.',
    ],
    [
      'does not repeat a summary with another verb',
      { summary: 'Update user settings', description: 'Changes some of the settings that a person has.' },
      'Changes some of the settings that a person has.',
    ],
    [
      'keeps a summary whose things it does not name',
      { summary: 'Create payment', description: 'Set a key to retry without paying twice.' },
      'Create payment.\n\nSet a key to retry without paying twice.',
    ],
    [
      'keeps a summary that says more',
      { summary: 'List archived notes', description: 'Lists every note.' },
      'List archived notes.\n\nLists every note.',
    ],
  ])('%s', (_title, over, want) => {
    expect(toDefaultDescription(operation(over))).toBe(want);
  });

  it('is built from the request and the answer where there is no text', () => {
    const schema = { type: 'array', items: { $ref: '#/components/schemas/Token' } };
    const contents = [{ mediaType: 'application/json', schema, pointer: '' }];
    const over = { id: 'createToken', method: 'POST', path: '/users/{id}/tokens' } as const;
    const responses = [{ status: '201', headers: [], contents }];
    expect(toBareDescription(operation({ ...over, responses }), ['id', 'name'])).toBe(
      'Create token: POST /users/{id}/tokens. Needs id, name. Answers a list of Token.',
    );
    const names = Array.from({ length: 9 }, (_, index) => `a${index}`);
    expect(toBareDescription(operation({ ...over, deprecated: true }), names)).toContain(
      'Deprecated by the upstream. Create token: POST /users/{id}/tokens. Needs a0, a1, a2, a3, a4, a5 and 3 more.',
    );
  });
});
