import { describe, expect, it } from 'vitest';
import { type ArgumentTable, accepts, checkArgumentTable, findTool, loadGenerated } from './argument-table.ts';

const TABLE: ArgumentTable = {
  crm_get_current_user: [],
  crm_list_persons: ['cursor', 'limit', 'ids', 'fieldIds', 'fieldTypes'],
  crm_get_person: ['personId!', 'fieldIds', 'fieldTypes'],
  crm_list_person_fields: ['cursor', 'limit'],
  crm_list_person_lists: ['personId!', 'cursor', 'limit'],
  crm_list_person_list_entries: ['personId!', 'cursor', 'limit'],
  crm_list_companies: ['cursor', 'limit', 'ids', 'fieldIds', 'fieldTypes'],
  crm_get_company: ['companyId!', 'fieldIds', 'fieldTypes'],
  crm_list_company_fields: ['cursor', 'limit'],
  crm_list_company_lists: ['companyId!', 'cursor', 'limit'],
  crm_list_company_list_entries: ['companyId!', 'cursor', 'limit'],
  crm_list_opportunities: ['cursor', 'limit', 'ids'],
  crm_get_opportunity: ['opportunityId!'],
  crm_list_lists: ['cursor', 'limit'],
  crm_get_list: ['listId!'],
  crm_list_list_fields: ['listId!', 'cursor', 'limit'],
  crm_list_list_entries: ['listId!', 'cursor', 'limit', 'fieldIds', 'fieldTypes'],
  crm_list_saved_views: ['listId!', 'cursor', 'limit'],
  crm_get_saved_view: ['listId!', 'viewId!'],
  crm_list_saved_view_list_entries: ['listId!', 'viewId!', 'cursor', 'limit'],
};

const crm = await loadGenerated('crm');

describe('crm tools', () => {
  checkArgumentTable(crm, TABLE);

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
