import { describe, expect, test } from 'vitest';
import { withPlainVerbs } from '../../search/phrases.ts';

describe('a request with plain verbs', () => {
  test.each([
    ['verb and particle as one verb', 'Turn off alerts', 'disable alerts'],
    ['words between them', 'turning the nightly build back on', 'enable the nightly build back'],
    ['each form of a verb', 'she kicked him out', 'she remove him'],
    ['the start of something, not its end', 'kick off the build', 'start the build'],
    ['what happens again', 'send the invoice once more', 'resend the invoice'],
    ['what is to happen no more', 'stop watching a folder', 'remove unwatch watch a folder'],
    ['what is compared', 'changes between May and June', 'changes compare May and June'],
    ['a change to what is there', 'please make the list private', 'update the list private'],
    ['possession for `I`', 'lists I own', 'lists my own'],
  ])('has %s', (_title, typed, plain) => {
    expect(withPlainVerbs(typed).replaceAll(/\s+/g, ' ').trim()).toBe(plain);
  });

  test.each([
    ['what is created', 'make a private list'],
    ['what runs and is to be stopped', 'stop running jobs'],
    ['a particle that is far away', 'turn all the very old and dusty lamps in here on'],
    ['no verb', 'lists on a board'],
  ])('leaves %s', (_title, typed) => {
    expect(withPlainVerbs(typed)).toBe(typed);
  });

  test('drops how it was asked', () => {
    expect(withPlainVerbs('how do I delete a list').trim()).toBe('delete a list');
    expect(withPlainVerbs("I'd like to see my own lists").replaceAll(/\s+/g, ' ').trim()).toBe('see my lists');
  });
});
