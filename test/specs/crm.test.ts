import { describe, expect, it } from 'vitest';
import { accepts, findTool, loadGenerated } from './generated-connector.ts';

const crm = await loadGenerated('crm');

describe('crm tools', () => {
  it('only read', () => {
    for (const { annotations } of crm.tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      });
    }
  });

  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  it.each([
    ['a limit of 1', 'crm_list_persons', { limit: 1 }, true],
    ['a limit of 100', 'crm_list_saved_views', { listId: 1, limit: 100 }, true],
    ['no limit of 0', 'crm_list_persons', { limit: 0 }, false],
    ['no limit of 101', 'crm_list_lists', { limit: 101 }, false],
    ['no fraction as a limit', 'crm_list_lists', { limit: 1.5 }, false],
    ['100 ids', 'crm_list_persons', { ids: hundred }, true],
    ['101 ids', 'crm_list_persons', { ids: [...hundred, 101] }, true],
    ['101 company ids', 'crm_list_companies', { ids: [...hundred, 101] }, true],
    ['101 opportunity ids', 'crm_list_opportunities', { ids: [...hundred, 101] }, true],
    ['no empty ids', 'crm_list_persons', { ids: [] }, false],
    ['no id of 0', 'crm_get_person', { personId: 0 }, false],
    ['no id of 0 among ids', 'crm_list_companies', { ids: [0] }, false],
    ['no id as text', 'crm_get_company', { companyId: '7133' }, false],
    ['a relationship-intelligence field type', 'crm_get_person', { personId: 1, fieldTypes: ['global'] }, true],
    ['no list field type of a person', 'crm_get_person', { personId: 1, fieldTypes: ['list'] }, false],
    ['a list field type of list entries', 'crm_list_list_entries', { listId: 1, fieldTypes: ['list'] }, true],
    ['no argument of another name', 'crm_get_person', { personId: 1, person_id: 1 }, false],
  ])('accept %s', (_, tool, args, want) => {
    expect(accepts(crm, tool, args)).toBe(want);
  });

  it.each(['crm_list_persons', 'crm_get_person', 'crm_list_companies', 'crm_get_company', 'crm_list_list_entries'])(
    '%s says that field values must be requested',
    (name) => {
      expect(findTool(crm, name).description).toContain('field values only if fieldIds or fieldTypes asks for them');
    },
  );
});
