/** The dashboard. */

import { ADMIN_PATH } from '../../base/dashboard/pages.ts';
import { defineModule, type OpenModule } from '../../module.ts';
import { ADMIN_EVENTS } from './events.ts';
import { endSessions } from './operators.ts';
import { ADMIN_ROWS, toAdminSettings } from './settings.ts';
import { ADMIN_TABLES, countOperatorSessions } from './stored-operators.ts';

export const admin = defineModule({
  name: 'admin',
  summary: 'The dashboard at /admin, where operators see what happens and act.',
  events: { texts: ADMIN_EVENTS.texts },
  settings: ADMIN_ROWS,
  configure: toAdminSettings,
  commands: {
    'Run the gateway': {
      operator: {
        summary: 'manage who may sign in to the dashboard',
        after: 'partner',
        load: async (modules) => (await import('./command.ts')).createOperatorCommand(modules),
      },
    },
  },
  storage: {
    tables: ADMIN_TABLES,
    retention: () => [
      {
        table: 'operator_sessions',
        key: 'id',
        column: 'expires_at',
        keepMs: 0,
        why: 'the audit trail says who signed in; a session that is over opens nothing',
      },
    ],
    restored: {
      words: { operatorSessions: 'sessions of operators' },
      count: async (db) => ({ operatorSessions: await countOperatorSessions(db) }),
      end: async (db, now) => ({
        operatorSessions: await db
          .transaction()
          .execute((transaction) => endSessions(transaction, { notId: null }, { now })),
      }),
    },
  },
  checks: async (context, settings) => (await import('./checks.ts')).checksOfAdmin(context, settings),
  open(core, { listen: address, url: publicUrl, ...signIn }) {
    const routes = async (modules: readonly OpenModule[], stopping: AbortSignal) => {
      const { createAdminRouter } = await import('./index.ts');
      const dashboardParts = modules.flatMap(({ dashboard }) => dashboard ?? []);
      const trail = dashboardParts.find((each) => each.trail !== undefined)?.trail ?? null;
      const { baseUrls, testSandboxUrl, callRecordRetentionDays: callRecordDays } = core.config;
      const adminDependencies = {
        db: core.store.db,
        publicUrl,
        baseUrls,
        testSandboxUrl,
        parts: dashboardParts,
        trail,
        callRecordDays,
        stopping,
      };
      return [createAdminRouter({ ...core, ...signIn, ...adminDependencies })];
    };
    const startLine = {
      label: 'Dashboard',
      url: `${publicUrl}${ADMIN_PATH}`,
      signInCommand: 'operator add --name <name> --role act',
    };
    if (address === null) return { routes, startLine, toolPath: '/admin/tools' };
    const startupLog = { line: 'listening for operators', facts: { ...address, dashboard: publicUrl } };
    return { startLine, listener: { setting: 'ADMIN_LISTEN', address, startupLog, serve: { publicUrl, routes } } };
  },
});
