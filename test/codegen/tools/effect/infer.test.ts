import { describe, expect, it } from 'vitest';
import { inferEffect, type JudgedOperation } from '../../../../codegen/tools/effect/infer.ts';

const toOperation = (method: string, path: string, id: string | null, summary = ''): JudgedOperation => {
  return { method, path, id, summary };
};

const answering = (schema: object): Pick<JudgedOperation, 'responses'> => {
  const contents = [{ mediaType: 'application/json', schema: schema as Record<string, unknown>, pointer: '' }];
  return { responses: [{ status: '200', headers: [], contents }] };
};

const taking = (properties: object, required: readonly string[] = []): Pick<JudgedOperation, 'body'> =>
  takingBody({ type: 'object', properties, required });

const takingBody = (schema: Record<string, unknown>): Pick<JudgedOperation, 'body'> => {
  const contents = [{ mediaType: 'application/json', schema, pointer: '' }];
  return { body: { required: true, description: '', contents, pointer: '' } };
};

const having = (name: string, schema: object): object => ({
  parameters: [{ name, in: 'header', required: false, schema }],
});

const taken = (properties: object): object => ({ type: 'object', properties });

const LIST = { type: 'object', properties: { items: { type: 'array', items: {} } } };

describe('the effect of an operation', () => {
  it.each([
    ['POST', '/rpc/lamps.delete', 'deleteLamp', 'destroys'],
    ['POST', '/rpc/lamps.delete', null, 'destroys'],
    ['POST', '/rpc/lamps.list', 'listLamps', 'reads'],
    ['POST', '/files/delete_v2', null, 'destroys'],
    ['POST', '/files/search_v2', 'files-search_v2', 'reads'],
    ['POST', '/', 'TerminateInstances', 'destroys'],
    ['POST', '/mail/{id}/move', 'moveToTrash', 'destroys'],
    ['POST', '/jobs', 'create_bulk_delete_jobs', 'destroys'],
    ['POST', '/invoices/{id}/write-off', null, 'destroys'],
    ['POST', '/access-requests', 'createAccessRequest', 'writes'],
    ['GET', '/jobs/{id}', 'getDeleteJob', 'reads'],
    ['GET', '/end-of-day', 'endOfDay', 'reads'],
    ['GET', '/burn-rate', 'burnRate', 'reads'],
    ['POST', '/', 'BatchGetItem', 'reads'],
    ['POST', '/items/{id}:purge', null, 'destroys'],
    ['POST', '/orders/{id}/cancel', 'orders_cancel_create', 'destroys'],
    ['PUT', '/orders/{id}/cancel', 'cancelOrder', 'destroys'],
    ['POST', '/cancel-subscription', null, 'destroys'],
    ['POST', '/items', 'deleteIfExists', 'destroys'],
    ['POST', '/items', 'searchAndDestroy', 'destroys'],
    ['POST', '/items', 'archiveOrRestore', 'destroys'],
    ['POST', '/items', 'undelete', 'writes'],
    ['POST', '/items', 'unarchiveItem', 'writes'],
    ['POST', '/items', 'restoreDeleted', 'writes'],
    ['POST', '/items', 'findOrCreateItem', 'writes'],
    ['POST', '/checklists', 'createChecklist', 'writes'],
    ['POST', '/check-runs', 'checks/create', 'writes'],
    ['POST', '/searches', 'createSearch', 'writes'],
    ['POST', '/validators', 'createValidator', 'writes'],
    ['POST', '/preview-environments', 'previewEnvironments.create', 'writes'],
    ['POST', '/counters/{id}/increment', 'incrementCounter', 'writes'],
    ['POST', '/listening', 'startListening', 'writes'],
    ['POST', '/notifications/{id}/read', null, 'writes'],
    ['POST', '/visits', 'checkIn', 'writes'],
    ['POST', '/oauth', 'getToken', 'writes'],
    ['GET', '/deleted-items', 'listDeletedItems', 'reads'],
    ['GET', '/deleted-items', null, 'reads'],
    ['GET', '/items/list-archived', null, 'reads'],
    ['GET', '/cancellation-reasons', 'getCancellationReasons', 'reads'],
    ['GET', '/password-policy', 'resetPasswordPolicy', 'reads'],
    ['GET', '/delete', null, 'destroys'],
    ['GET', '/logout', null, 'destroys'],
    ['GET', '/unsubscribe', null, 'destroys'],
    ['GET', '/#Action=SendEmail', 'GET_SendEmail', 'writes'],
    ['DELETE', '/items/search', 'searchItems', 'destroys'],
    ['POST', '/lists', 'list_create', 'writes'],
    ['POST', '/views/{id}', 'view_update', 'writes'],
    ['POST', '/lists/{id}/archive', 'list_archive', 'destroys'],
    ['POST', '/konten/{id}/löschen', 'kontoLöschen', 'destroys'],
    ['POST', '/cuentas/eliminar', 'eliminarCuenta', 'destroys'],
    ['POST', '/dossiers/{id}/supprimer', null, 'destroys'],
    ['POST', '/queries/{id}/stop', 'query_stop', 'destroys'],
    ['POST', '/lists/{id}/items', 'listDeleteItems', 'destroys'],
    ['POST', '/graphql', 'graphqlQuery', 'writes'],
    ['POST', '/d1/database/{id}/query', 'cloudflare-d1-query-database', 'writes'],
    ['POST', '/deletefile', 'deletefile', 'destroys'],
    ['POST', '/_msearch', 'msearch', 'reads'],
    ['GET', '/stop-areas', 'stopAreas', 'reads'],
    ['GET', '/unspent', null, 'reads'],
    ['GET', '/archive', 'archive', 'reads'],
    ['GET', '/cache/purge-all', null, 'destroys'],
    ['GET', '/builds/trigger', 'triggerBuild', 'writes'],
    ['GET', '/reboot', 'reboot', 'writes'],
    ['PURGE', '/items', 'purgeItems', 'destroys'],
    ['UNLINK', '/items', null, 'destroys'],
    ['COPY', '/files/{path}', 'copyFile', 'destroys'],
    ['MOVE', '/files/{path}', 'moveFile', 'destroys'],
    ['LINK', '/items', 'linkItems', 'writes'],
    ['POST', '/list/empty', 'listEmpty', 'destroys'],
    ['POST', '/count/reset', 'count_reset', 'destroys'],
    ['POST', '/query/stop', 'queryStop', 'destroys'],
    ['POST', '/search', 'searchArchive', 'reads'],
    ['POST', '/archive', 'searchArchive', 'reads'],
    ['POST', '/contacts/{id}/anonymize', 'anonymizeContact', 'destroys'],
    ['POST', '/contacts/gdpr-delete', null, 'destroys'],
    ['POST', '/api/DeleteUser.ashx', null, 'destroys'],
    ['POST', '/licenses/{id}/surrender', null, 'destroys'],
    ['POST', '/pods/{name}/eviction', 'createPodEviction', 'destroys'],
    ['POST', '/2020-05-31/distribution/{id}/invalidation', 'CreateInvalidation', 'destroys'],
    ['GET', '/newsletters/{id}', 'subscribe', 'writes'],
    ['GET', '/invitations/{token}', 'acceptInvitation', 'writes'],
    ['GET', '/doors/{id}', 'unlockDoor', 'writes'],
    ['GET', '/deploys/{id}', 'getDeploy', 'reads'],
    ['GET', '/invites/{code}', 'get_invite', 'reads'],
    ['GET', '/imports/{id}', 'getImport', 'reads'],
  ])('of %s %s (%s) is that it %4$s', (method, path, id, want) => {
    expect(inferEffect(toOperation(method, path, id)).effect).toBe(want);
  });

  it('is inferred from the summary where the other names say nothing', () => {
    expect(inferEffect(toOperation('POST', '/jobs', null, 'Deletes all jobs'))).toEqual({
      effect: 'destroys',
      evidence: '"delete" in the summary',
    });
  });

  it('is inferred from the summary where it says what the operationId ends with', () => {
    expect(inferEffect(toOperation('POST', '/rpc', 'listEmpty', 'Empty a list')).effect).toBe('destroys');
  });

  it.each([
    ['Irreversibly erases an item', 'destroys'],
    ['Use this to remove an item', 'destroys'],
    ['Create a new file or completely overwrite an existing one', 'destroys'],
    ['Preview a template and optionally merge its fields', 'reads'],
    ['Use a coupon', 'writes'],
  ])('is inferred from the summary %j', (summary, want) => {
    expect(inferEffect(toOperation('POST', '/x', 'x', summary)).effect).toBe(want);
  });

  it.each([
    ['Send transaction', 'writes'],
    ['Sent transactions', 'reads'],
  ])('of a GET named after its method is that of its summary %j', (summary, want) => {
    expect(inferEffect(toOperation('GET', '/send-tx/{hex}', 'getSendTx', summary)).effect).toBe(want);
  });

  it('has no evidence where the method says it', () => {
    expect(inferEffect(toOperation('DELETE', '/jobs', 'deleteJobs'))).toEqual({ effect: 'destroys', evidence: null });
  });
});

describe('the effect of shapes', () => {
  const post = toOperation('POST', '/jobs', 'jobs');
  const change = { type: 'object', properties: { op: { enum: ['create', 'delete'] }, id: { type: 'string' } } };

  it.each([
    ['an action that can be destructive', taking({ action: { enum: ['start', 'delete'] } }), 'destroys'],
    ['an action that cannot', taking({ action: { enum: ['start', 'pause'] } }), 'writes'],
    ['a method in a header', having('X-HTTP-Method-Override', { type: 'string' }), 'destroys'],
    ['a method that deletes, in a header', having('x-http-method', { enum: ['GET', 'DELETE'] }), 'destroys'],
    ['a method in the query', having('_method', { type: 'string' }), 'destroys'],
    ['a method that reads, in a header', having('X-Method-Override', { enum: ['GET'] }), 'writes'],
    ['a choice to overwrite', taking({ overwrite: { type: 'boolean' } }), 'destroys'],
    ['a mode that overwrites', taking({ mode: { enum: ['add', 'overwrite'] } }), 'destroys'],
    ['a conflict that replaces', taking({ on_conflict: { enum: ['fail', 'replace'] } }), 'destroys'],
    ['a disposition that truncates', taking({ writeDisposition: { enum: ['WRITE_TRUNCATE'] } }), 'destroys'],
    ['a mode that adds', taking({ mode: { enum: ['add', 'update'] } }), 'writes'],
    [
      'an answer that only says what was deleted',
      answering({ type: 'object', properties: { id: {}, deleted: { type: 'boolean' } } }),
      'destroys',
    ],
    [
      'a record that has a mark of deletion',
      answering({ type: 'object', properties: { id: {}, owner: {}, deleted: { type: 'boolean' } } }),
      'writes',
    ],
    ['actions of a bulk', taking({ operations: { type: 'array', items: change } }), 'destroys'],
    ['a bulk without an object around it', takingBody({ type: 'array', items: change }), 'destroys'],
    ['one of several bodies', takingBody({ oneOf: [{ properties: { action: { const: 'delete' } } }] }), 'destroys'],
    [
      'a bulk of deeds',
      taking({ requests: { type: 'array', items: { properties: { deleteSheet: {} } } } }),
      'destroys',
    ],
    ['an action of something that is described', taking({ rules: { type: 'array', items: change } }), 'writes'],
    ['a list of what is deleted', taking({ create: { type: 'array' }, delete: { type: 'array' } }), 'destroys'],
    ['a choice to delete', taking({ purge: { type: 'boolean' } }), 'destroys'],
    ['a text that is named like a deed', taking({ delete: { type: 'string' } }), 'writes'],
    ['a kind of action', taking({ actionType: { enum: ['start', 'delete'] } }), 'destroys'],
    ['an action for many', taking({ bulk_action: { enum: ['start', 'delete'] } }), 'destroys'],
    ['an action in a wrapper', taking({ data: taken({ action: { enum: ['delete'] } }) }), 'destroys'],
    ['a method that is none of HTTP', taking({ method: { enum: ['add', 'remove'] } }), 'destroys'],
    ['a method of a request that is described', taking({ method: { enum: ['GET', 'DELETE'] }, url: {} }), 'writes'],
    ['any requests', taking({ Operations: { type: 'array', items: taken({ method: {}, path: {} }) } }), 'destroys'],
    ['requests', taking({ compositeRequest: { type: 'array', items: taken({ method: {} }) } }), 'destroys'],
    [
      'requests of methods that add',
      taking({ requests: { type: 'array', items: taken({ method: { enum: ['GET', 'POST'] } }) } }),
      'writes',
    ],
    ['a request with a place to return to', taking({ orderRequest: taken({ cancelUrl: {} }) }), 'writes'],
    [
      'requests with places to return to',
      taking({ requests: { type: 'array', items: taken({ cancelUrl: { type: 'string' } }) } }),
      'writes',
    ],
    ['a list of what is removed', taking({ addIds: { type: 'array' }, removeIds: { type: 'array' } }), 'destroys'],
    ['a choice to replace all', taking({ replaceExisting: { type: 'boolean' } }), 'destroys'],
    ['a choice to delete what is missing', taking({ delete_missing: { type: 'boolean' } }), 'destroys'],
    ['a choice to leave a part out', taking({ remove_background: { type: 'boolean' } }), 'writes'],
    ['a page of a list', { ...taking({ cursor: { type: 'string' } }), ...answering(LIST) }, 'reads'],
    ['a list without a page', answering(LIST), 'writes'],
  ])('is that of %s', (_, shape, want) => {
    expect(inferEffect({ ...post, ...shape }).effect).toBe(want);
  });

  it.each([
    ['/graphql', 'graphql', { query: { type: 'string' } }, 'destroys'],
    ['/sql', 'querySql', { statement: { type: 'string' } }, 'destroys'],
    ['/jsonrpc', 'call', { method: { type: 'string' }, params: {} }, 'destroys'],
    ['/query', 'query', { sql: { type: 'string' } }, 'destroys'],
    ['/exec', 'exec', { command: { type: 'string' } }, 'destroys'],
    ['/vm/eval', 'evalCode', { code: { type: 'string' } }, 'destroys'],
    ['/', 'ExecuteStatement', { Statement: { type: 'string' } }, 'destroys'],
    ['/queries', 'jobs.query', { query: { type: 'string' }, useLegacySql: { type: 'boolean' } }, 'destroys'],
    ['/devices/{id}/commands', 'sendCommand', { command: { type: 'string' } }, 'destroys'],
    ['/vms/{id}/runCommand', 'runCommand', { script: { type: 'array' } }, 'destroys'],
    ['/setCommands', 'setCommands', { commands: { type: 'array', items: taken({ command: {} }) } }, 'writes'],
    ['/scripts', 'createScript', { script: { type: 'string' } }, 'writes'],
    ['/rpc', 'call', { method: { enum: ['list'] } }, 'writes'],
    ['/sql/instances', 'createSqlInstance', { name: { type: 'string' } }, 'writes'],
  ])('of POST %s is that it can do anything, if it takes a statement', (path, id, properties, want) => {
    expect(inferEffect({ ...toOperation('POST', path, id), ...taking(properties) }).effect).toBe(want);
  });

  it.each([
    ['/droplets/{id}/actions', { type: { enum: ['reboot', 'destroy'] } }, 'destroys'],
    ['/droplets', { type: { enum: ['reboot', 'destroy'] } }, 'writes'],
    ['/orders/{id}/status', { status: { enum: ['open', 'cancelled'] } }, 'destroys'],
    ['/orders/{id}', { state_event: { enum: ['close', 'cancel'] } }, 'destroys'],
    ['/orders', { status: { enum: ['open', 'cancelled'] } }, 'writes'],
  ])('of POST %s is that of its values', (path, properties, want) => {
    expect(inferEffect({ ...toOperation('POST', path, 'post'), ...taking(properties) }).effect).toBe(want);
  });

  it.each([
    ['POST', '/jobs/search', 'searchJobs'],
    ['GET', '/jobs', 'listJobs'],
    ['QUERY', '/jobs', 'queryJobs'],
  ])('of %s %s is that of any method, if a header can name one', (method, path, id) => {
    const operation = toOperation(method, path, id);
    expect(inferEffect({ ...operation, ...having('X-HTTP-Method-Override', { type: 'string' }) }).effect).toBe(
      'destroys',
    );
    expect(inferEffect({ ...operation, ...having('X-HTTP-Method-Override', { enum: ['GET'] }) }).effect).toBe('reads');
  });

  it('is found in bodies that contain themselves', () => {
    const filter: Record<string, unknown> = { properties: { action: { enum: ['delete'] } } };
    filter.anyOf = [filter, { items: filter }, { $ref: '#/filter' }];
    const operation = { ...post, ...takingBody({ $ref: '#/filter' }) };
    expect(inferEffect(operation, () => filter).effect).toBe('destroys');
  });

  it('outranks a reading verb where the action is required', () => {
    const search = toOperation('POST', '/jobs', 'searchJobs');
    const action = { action: { enum: ['delete'] } };
    expect(inferEffect({ ...search, ...taking(action, ['action']) }).effect).toBe('destroys');
    expect(inferEffect({ ...search, ...taking(action) }).effect).toBe('reads');
  });
});
