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
    ['removal for what is no longer wanted', 'this guest no longer needs a seat', 'discontinue this guest a seat'],
    ['removal for who leaves', 'Ann leaves the team', 'remove person the team'],
    ['removal for the opposite of a verb', 'unshare the list', 'remove share the list'],
    ['a person for a name', 'Put Jane Doe on the list', 'Put person on the list'],
    ['permission for `let`', 'let guests see the list', 'allow guests see the list'],
    ['a limit for what is the most', 'at most five guests', 'limit five guests'],
    ['a status for how it goes', 'how is the import doing', 'status the import'],
    ['a status for whether it worked', 'did the import go through', 'status the import'],
    ['a webhook for a server that is told', 'call our server when Ann pays', 'call our server webhook Ann pays'],
    ['an alert for a leaked secret', 'passwords that were pushed', 'leaked secret alert that were'],
    ['possession for `I`', 'lists I own', 'lists my own'],
  ])('has %s', (_title, typed, plain) => {
    expect(withPlainVerbs(typed).replaceAll(/\s+/g, ' ').trim()).toBe(plain);
  });

  test.each([
    ['what is created', 'make a private list'],
    ['what runs and is to be stopped', 'stop running jobs'],
    ['a particle that is far away', 'turn all the very old and dusty lamps in here on'],
    ['what is asked of things that are no more', 'which seats are no longer used'],
    ['what is put, if it has no name', 'put chairs on the list'],
    ['no verb', 'lists on a board'],
  ])('leaves %s', (_title, typed) => {
    expect(withPlainVerbs(typed)).toBe(typed);
  });

  test('drops how it was asked', () => {
    expect(withPlainVerbs('how do I delete a list').trim()).toBe('delete a list');
    expect(withPlainVerbs("I'd like to see my own lists").replaceAll(/\s+/g, ' ').trim()).toBe('see my lists');
  });
});
