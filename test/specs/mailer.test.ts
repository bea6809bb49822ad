import { describe, expect, it } from 'vitest';
import { accepts, findTool, loadGenerated } from './generated-connector.ts';

const mailer = await loadGenerated('mailer');

function acceptsFieldValues(fieldValues: unknown): boolean {
  return accepts(mailer, 'mailer_upsert_contact', { brandId: 'b', email: 'ann@example.com', fieldValues });
}

describe('mailer tools', () => {
  it.each([
    ['a text', [{ name: 'FIRST_NAME', string: 'Ann' }], true],
    ['a number', [{ name: 'CUPS_A_DAY', integer: 3 }], true],
    ['a date', [{ name: 'MEMBER_SINCE', date: '2026-01-31' }], true],
    ['no value of two types', [{ name: 'A', string: 'x', integer: 1 }], false],
    ['no value of three types', [{ name: 'A', string: 'x', integer: 1, date: '2026-01-31' }], false],
    ['no missing value', [{ name: 'A' }], false],
    ['no missing name', [{ string: 'x' }], false],
    ['no value of another type', [{ name: 'A', boolean: true }], false],
    ['no date in another form', [{ name: 'A', date: '31.01.2026' }], false],
  ])('accept %s as a field value', (_, fieldValues, want) => {
    expect(acceptsFieldValues(fieldValues)).toBe(want);
  });

  it.each([
    ['a list name of 50 characters', 'mailer_create_list', { brandId: 'b', name: 'x'.repeat(50) }, true],
    ['no list name of 51 characters', 'mailer_create_list', { brandId: 'b', name: 'x'.repeat(51) }, false],
    ['no empty list name', 'mailer_update_list', { brandId: 'b', listId: 'l', name: '' }, false],
    ['no limit of 101', 'mailer_list_brands', { limit: 101 }, false],
    ['no limit of 0', 'mailer_list_contacts', { brandId: 'b', limit: 0 }, false],
    ['no unknown op', 'mailer_update_contact', { brandId: 'b', contactId: 'c', listIdsOp: 'merge' }, false],
    ['no validate on update', 'mailer_update_contact', { brandId: 'b', contactId: 'c', validate: true }, false],
  ])('accept %s', (_, tool, args, want) => {
    expect(accepts(mailer, tool, args)).toBe(want);
  });

  it('update_contact warns in its first two sentences that it replaces values', () => {
    const [first, second] = findTool(mailer, 'mailer_update_contact').description.split(/(?<=[.])\s+/);
    expect(`${first} ${second}`).toMatch(/REPLACE/);
  });
});
