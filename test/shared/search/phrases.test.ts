import { describe, expect, test } from 'vitest';
import { withPlainVerbs } from '../../../shared/search/phrases.ts';

describe('a request with plain verbs', () => {
  test.each([
    ['verb and particle as one verb', 'Turn off alerts', 'disable alerts'],
    ['verb and particle with words between', 'turning the nightly build back on', 'enable the nightly build back'],
    ['each form of a verb', 'she kicked him out', 'she remove him'],
    ['the start for "kick off", not the removal', 'kick off the build', 'start the build'],
    ['`re` for "once more"', 'send the invoice once more', 'resend the invoice'],
    ['removal for "stop"', 'stop watching a folder', 'remove unwatch watch a folder'],
    ['a comparison for "changes between"', 'changes between May and June', 'changes compare May and June'],
    ['an update for "make" with a state', 'please make the list private', 'update the list private'],
    ['removal for "no longer needs"', 'this guest no longer needs a seat', 'discontinue this guest a seat'],
    ['removal for "leaves"', 'Ann leaves the team', 'remove person the team'],
    ['removal for the opposite of a verb', 'unshare the list', 'remove share the list'],
    ['a person for a name', 'Put Jane Doe on the list', 'Put person on the list'],
    ['permission for "let"', 'let guests see the list', 'allow guests see the list'],
    ['a limit for "at most"', 'at most five guests', 'limit five guests'],
    ['a status for "how is it doing"', 'how is the import doing', 'status the import'],
    ['a status for "did it go through"', 'did the import go through', 'status the import'],
    ['a webhook for "call our server"', 'call our server when Ann pays', 'call our server webhook Ann pays'],
    ['an alert for a leaked secret', 'passwords that were pushed', 'leaked secret alert that were'],
    ['possession for "I"', 'lists I own', 'lists my own'],
  ])('has %s', (_title, typed, plain) => {
    expect(withPlainVerbs(typed).replaceAll(/\s+/g, ' ').trim()).toBe(plain);
  });

  test.each([
    ['"make" that creates', 'make a private list'],
    ['"stop" of something that runs', 'stop running jobs'],
    ['a particle far from its verb', 'turn all the very old and dusty lamps in here on'],
    ['a question with "no longer"', 'which seats are no longer used'],
    ['"put" without a name', 'put chairs on the list'],
    ['no verb', 'lists on a board'],
  ])('leaves unchanged: %s', (_title, typed) => {
    expect(withPlainVerbs(typed)).toBe(typed);
  });

  test('drops the opening of the request', () => {
    expect(withPlainVerbs('how do I delete a list').trim()).toBe('delete a list');
    expect(withPlainVerbs("I'd like to see my own lists").replaceAll(/\s+/g, ' ').trim()).toBe('see my lists');
  });
});
