import { expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Tool, ToolHints } from '../../server/contract/index.ts';

const effectOf = (hints: ToolHints): string =>
  `${hints.readOnlyHint ? 'reads' : hints.destructiveHint ? 'destroys' : 'writes'}${hints.idempotentHint ? ' idempotent' : ''}`;

function argumentsOf({ inputSchema }: Tool): string {
  const required = inputSchema.required as readonly string[];
  return Object.keys(inputSchema.properties as object)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(' ');
}

test('the tools that agents depend on keep their names, effects, calls and arguments', async () => {
  const tools = (await loadConnectors()).flatMap((connector) => connector.tools);
  const surface = tools
    .map((tool) => [
      tool.name,
      effectOf(tool.annotations),
      `${tool.operation.method} ${tool.operation.path}`,
      argumentsOf(tool),
    ])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  expect(surface).toEqual([
    ['billing_find_customer', 'reads idempotent', 'GET /v1/customers', 'key'],
    ['billing_get_customer', 'reads idempotent', 'GET /v1/customers/{customer_id}', 'customerId'],
    [
      'billing_get_invoice',
      'reads idempotent',
      'GET /v1/customers/{customer_id}/invoices/{invoice_id}',
      'customerId invoiceId skipZeroQtyLineItems? fields? resume?',
    ],
    [
      'billing_list_billable_metrics',
      'reads idempotent',
      'GET /v1/billable-metrics',
      'limit? nextPage? includeArchived? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'billing_list_customers',
      'reads idempotent',
      'GET /v1/customers',
      'limit? nextPage? ingestAlias? customerIds? onlyArchived? crmAccountIds? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'billing_list_invoices',
      'reads idempotent',
      'GET /v1/customers/{customer_id}/invoices',
      'customerId limit? nextPage? status? type? sort? skipZeroQtyLineItems? creditTypeId? contractId? startingOn? endingBefore? where? fields? aggregate? maxItems? resume?',
    ],
    ['crm_find_company', 'reads idempotent', 'GET /v2/companies', 'key'],
    ['crm_find_person', 'reads idempotent', 'GET /v2/persons', 'key'],
    ['crm_get_company', 'reads idempotent', 'GET /v2/companies/{companyId}', 'companyId fieldIds? fieldTypes?'],
    ['crm_get_current_user', 'reads idempotent', 'GET /v2/auth/whoami', ''],
    ['crm_get_list', 'reads idempotent', 'GET /v2/lists/{listId}', 'listId'],
    ['crm_get_opportunity', 'reads idempotent', 'GET /v2/opportunities/{opportunityId}', 'opportunityId'],
    ['crm_get_person', 'reads idempotent', 'GET /v2/persons/{personId}', 'personId fieldIds? fieldTypes?'],
    ['crm_get_saved_view', 'reads idempotent', 'GET /v2/lists/{listId}/saved-views/{viewId}', 'listId viewId'],
    [
      'crm_list_companies',
      'reads idempotent',
      'GET /v2/companies',
      'cursor? limit? ids? fieldIds? fieldTypes? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_company_fields',
      'reads idempotent',
      'GET /v2/companies/fields',
      'cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_company_list_entries',
      'reads idempotent',
      'GET /v2/companies/{companyId}/list-entries',
      'companyId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_company_lists',
      'reads idempotent',
      'GET /v2/companies/{companyId}/lists',
      'companyId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_list_entries',
      'reads idempotent',
      'GET /v2/lists/{listId}/list-entries',
      'listId cursor? limit? fieldIds? fieldTypes? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_list_fields',
      'reads idempotent',
      'GET /v2/lists/{listId}/fields',
      'listId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    ['crm_list_lists', 'reads idempotent', 'GET /v2/lists', 'cursor? limit? where? fields? sort? aggregate? maxItems?'],
    [
      'crm_list_opportunities',
      'reads idempotent',
      'GET /v2/opportunities',
      'cursor? limit? ids? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_person_fields',
      'reads idempotent',
      'GET /v2/persons/fields',
      'cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_person_list_entries',
      'reads idempotent',
      'GET /v2/persons/{personId}/list-entries',
      'personId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_person_lists',
      'reads idempotent',
      'GET /v2/persons/{personId}/lists',
      'personId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_persons',
      'reads idempotent',
      'GET /v2/persons',
      'cursor? limit? ids? fieldIds? fieldTypes? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_saved_view_list_entries',
      'reads idempotent',
      'GET /v2/lists/{listId}/saved-views/{viewId}/list-entries',
      'listId viewId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'crm_list_saved_views',
      'reads idempotent',
      'GET /v2/lists/{listId}/saved-views',
      'listId cursor? limit? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'datatable_get_analyst_ratings',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode symbol where? fields? sort? aggregate? resume?',
    ],
    [
      'datatable_get_datatable',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode datatableCode where? fields? sort? aggregate? resume?',
    ],
    [
      'datatable_get_datatable_metadata',
      'reads idempotent',
      'GET /api/v3/datatables/{vendorCode}/{tableCode}/metadata.json',
      'vendorCode tableCode datatableCode',
    ],
    [
      'datatable_get_dividend_history',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode ticker date? columns? perPage? cursorId? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'datatable_get_end_of_day_quote',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode ticker dateGte? dateLte? perPage? cursorId? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'datatable_get_real_time_quote',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode ticker dateGte? dateLte? perPage? cursorId? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'datatable_get_table_row',
      'reads idempotent',
      'GET /datatables/{vendorCode}/{tableCode}.json',
      'vendorCode tableCode filterColumnName filterColumnValue datatableCode? columns? perPage? cursorId? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'mailer_create_contact',
      'writes',
      'POST /v1/brands/{brand_id}/contacts',
      'brandId email validate? fieldValues? listIds? unsubscribeAll? unsubscribeIds? also? count?',
    ],
    ['mailer_create_list', 'writes', 'POST /v1/brands/{brand_id}/lists', 'brandId name'],
    [
      'mailer_delete_contact',
      'destroys idempotent',
      'DELETE /v1/brands/{brand_id}/contacts/{contact_id}',
      'brandId contactId also? count?',
    ],
    ['mailer_delete_list', 'destroys idempotent', 'DELETE /v1/brands/{brand_id}/lists/{list_id}', 'brandId listId'],
    ['mailer_get_brand', 'reads idempotent', 'GET /v1/brands/{brand_id}', 'brandId'],
    ['mailer_get_contact', 'reads idempotent', 'GET /v1/brands/{brand_id}/contacts/{contact_id}', 'brandId contactId'],
    ['mailer_get_list', 'reads idempotent', 'GET /v1/brands/{brand_id}/lists/{list_id}', 'brandId listId'],
    [
      'mailer_list_brands',
      'reads idempotent',
      'GET /v1/brands',
      'limit? cursor? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'mailer_list_contacts',
      'reads idempotent',
      'GET /v1/brands/{brand_id}/contacts',
      'brandId limit? cursor? listId? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'mailer_list_lists',
      'reads idempotent',
      'GET /v1/brands/{brand_id}/lists',
      'brandId limit? cursor? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'mailer_update_contact',
      'destroys idempotent',
      'POST /v1/brands/{brand_id}/contacts/{contact_id}',
      'brandId contactId fieldValuesOp? listIdsOp? unsubscribeIdsOp? email? fieldValues? listIds? unsubscribeAll? unsubscribeIds? also? count?',
    ],
    ['mailer_update_list', 'destroys idempotent', 'POST /v1/brands/{brand_id}/lists/{list_id}', 'brandId listId name'],
    [
      'mailer_upsert_contact',
      'destroys',
      'POST /v1/brands/{brand_id}/contacts/upsert',
      'brandId email validate? fieldValues? listIds? unsubscribeAll? unsubscribeIds?',
    ],
    [
      'retrieval_create_document_from_url',
      'writes',
      'POST /documents/url',
      'url mode? name? metadata? partition? externalId?',
    ],
    ['retrieval_create_document_raw', 'writes', 'POST /documents/raw', 'data name? metadata? partition? externalId?'],
    [
      'retrieval_create_oauth_redirect_url',
      'writes',
      'POST /connections/oauth',
      'redirectUri sourceType? theme? config? metadata? partition? pageLimit? mode? authenticatorId?',
    ],
    [
      'retrieval_create_partition',
      'writes',
      'POST /partitions',
      'name description? contextAware? metadataSchema? mediaHostedLimitMax? mediaHostedLimitMonthly? pagesHostedLimitMax? pagesHostedLimitMonthly? mediaStreamedLimitMax? mediaStreamedLimitMonthly? audioProcessedLimitMax? audioProcessedLimitMonthly? pagesProcessedLimitMax? pagesProcessedLimitMonthly? videoProcessedLimitMax? videoProcessedLimitMonthly?',
    ],
    [
      'retrieval_delete_document',
      'destroys idempotent',
      'DELETE /documents/{document_id}',
      'documentId async? partition? also? count?',
    ],
    [
      'retrieval_delete_partition',
      'destroys idempotent',
      'DELETE /partitions/{partition_id}',
      'partitionId asyncDeletion?',
    ],
    ['retrieval_find_document', 'reads idempotent', 'GET /documents', 'key'],
    ['retrieval_get_document', 'reads idempotent', 'GET /documents/{document_id}', 'documentId partition?'],
    [
      'retrieval_get_document_chunks',
      'reads idempotent',
      'GET /documents/{document_id}/chunks',
      'documentId cursor? pageSize? partition? startIndex? endIndex? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'retrieval_get_document_content',
      'reads idempotent',
      'GET /documents/{document_id}/content',
      'documentId range? download? partition? mediaType? resume?',
    ],
    [
      'retrieval_get_document_summary',
      'reads idempotent',
      'GET /documents/{document_id}/summary',
      'documentId partition? resume?',
    ],
    ['retrieval_get_partition', 'reads idempotent', 'GET /partitions/{partition_id}', 'partitionId'],
    [
      'retrieval_list_connection_source_types',
      'reads idempotent',
      'GET /connections/source-type',
      'where? fields? sort? aggregate?',
    ],
    [
      'retrieval_list_connections',
      'reads idempotent',
      'GET /connections',
      'cursor? filter? pageSize? partition? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'retrieval_list_documents',
      'reads idempotent',
      'GET /documents',
      'cursor? filter? pageSize? partition? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'retrieval_list_partitions',
      'reads idempotent',
      'GET /partitions',
      'cursor? pageSize? where? fields? sort? aggregate? maxItems?',
    ],
    [
      'retrieval_patch_document_metadata',
      'destroys idempotent',
      'PATCH /documents/{document_id}/metadata',
      'documentId metadata partition? async?',
    ],
    [
      'retrieval_retrieve',
      'reads idempotent',
      'POST /retrievals',
      'query topK? filter? rerank? partition? recencyBias? maxChunksPerDocument? resume?',
    ],
    [
      'retrieval_set_partition_limits',
      'destroys idempotent',
      'PUT /partitions/{partition_id}/limits',
      'partitionId mediaHostedLimitMax? mediaHostedLimitMonthly? pagesHostedLimitMax? pagesHostedLimitMonthly? mediaStreamedLimitMax? mediaStreamedLimitMonthly? audioProcessedLimitMax? audioProcessedLimitMonthly? pagesProcessedLimitMax? pagesProcessedLimitMonthly? videoProcessedLimitMax? videoProcessedLimitMonthly? clear?',
    ],
    [
      'retrieval_update_partition',
      'destroys idempotent',
      'PATCH /partitions/{partition_id}',
      'partitionId description? contextAware? metadataSchema? clear?',
    ],
  ]);
});
