/** One user's tools over a hand-made connector, with everything around the call replaced by values. */

import type { LostCredential } from '../../../../server/base/credentials/lost-credential.ts';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import type { Principal } from '../../../../server/base/principal/principal.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import type { ConnectionStatus } from '../../../../server/base/store/schema.ts';
import type { CallFault, Interceptor } from '../../../../server/call/tools/call/dependencies.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import type {
  CallProgress,
  CompleteToolResult,
  ProtocolEra,
  ToolCallContext,
} from '../../../../server/call/tools/provider.ts';
import type { ToolError } from '../../../../server/call/tools/results/errors.ts';
import { createUserTools, type UserToolsDependencies } from '../../../../server/call/tools/user-tools.ts';
import { createValidators } from '../../../../server/call/tools/validate.ts';
import type { UpstreamOptions } from '../../../../server/call/upstream/index.ts';
import type { Connector, Tool } from '../../../../server/contract/index.ts';
import { fakeConnector } from '../../../support/fake-connector.ts';
import { createLocalUpstream } from '../../../support/outgoing.ts';

export interface Fixture {
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CompleteToolResult>;
  readonly provider: ReturnType<typeof createUserTools>;
  readonly records: CallRecord[];
  readonly faults: CallFault[];
  readonly refusals: LostCredential[];
  close(): Promise<void>;
}

export interface CallOptions {
  readonly principal?: Partial<Principal>;
  readonly era?: ProtocolEra;
  readonly signal?: AbortSignal;
  readonly waitSeconds?: number;
  readonly meta?: Record<string, unknown>;
  readonly inputResponses?: ToolCallContext['inputResponses'];
  readonly requestState?: string;
  readonly callerNow?: () => Promise<Principal | null>;
  readonly clientCapabilities?: ToolCallContext['clientCapabilities'];
  readonly progress?: CallProgress;
}

export interface FixtureOptions {
  readonly origin?: string;
  readonly tools?: readonly Tool[];
  readonly connectors?: readonly Connector[];
  readonly fields?: Record<string, string>;
  readonly status?: ConnectionStatus | null;
  readonly maxResultBytes?: number;
  readonly changes?: Partial<UserToolsDependencies>;
  readonly upstream?: Partial<UpstreamOptions>;
}

export function createFixture(options: FixtureOptions): Fixture {
  const connectors = options.connectors ?? [fakeConnector({ tools: options.tools ?? [] })];
  const origin = options.origin ?? 'http://127.0.0.1:9';
  const maxResultBytes = options.maxResultBytes ?? 1024 * 1024;
  const upstream = createLocalUpstream({
    baseUrls: new Map(connectors.map(({ name }) => [name, new Map([['{library_base_url}', origin]])])),
    timeoutMs: 3000,
    maxResultBytes,
    userAgent: 'gateway-test/1.0',
    ...options.upstream,
  });
  const records: CallRecord[] = [];
  const faults: CallFault[] = [];
  const refusals: LostCredential[] = [];
  const status = options.status === undefined ? 'active' : options.status;
  const provider = createUserTools({
    catalogue: createCatalogue(connectors),
    upstream,
    validators: createValidators(),
    maxResultBytes,
    now: Date.now,
    timeoutMs: 3000,
    seenFacts: () => ({}),
    leases: { open: () => ({ fields: options.fields ?? {}, token: null }) },
    once: { claim: async () => null, settle: async () => {} },
    record: (record) => records.push(record),
    onFault: (fault) => faults.push(fault),
    onCredentialRefused: (refusal) => void refusals.push(refusal),
    ...options.changes,
    interceptors: [keepMessage, ...(options.changes?.interceptors ?? [])],
  });
  return {
    provider,
    records,
    faults,
    refusals,
    async call(tool, args = {}, { principal, ...context } = {}) {
      const caller = createPrincipal({ ...connectionsOf(principal?.services ?? ['library'], status), ...principal });
      return (await provider.call(caller, tool, args, createContext(context))) as CompleteToolResult;
    },
    close: () => upstream.close(),
  };
}

function connectionsOf(
  services: readonly string[],
  status: ConnectionStatus | null,
): Pick<Principal, 'services' | 'connections'> {
  const connected = status === null ? [] : services;
  const connection = (service: string) => ({
    id: `user-1/${service}`,
    status: status ?? 'active',
    sealedCredential: null,
    updatedAt: 7,
  });
  return { services: connected, connections: new Map(connected.map((service) => [service, connection(service)])) };
}

export function createPrincipal(changes: Partial<Principal> = {}): Principal {
  return {
    tokenId: 'token-1',
    partnerId: 'partner-1',
    realm: 'live',
    userId: 'user-1',
    grantId: null,
    clientId: null,
    permission: FULL_PERMISSION,
    externalUserId: 'ada',
    scopes: ['tools:read', 'tools:write'],
    ...connectionsOf(['library'], 'active'),
    connectUri: null,
    partnerName: 'Acme',
    offeredServices: null,
    isSuspended: false,
    expiresAt: Number.MAX_SAFE_INTEGER,
    resource: 'http://127.0.0.1/api/mcp/unified',
    ...changes,
  };
}

export function createContext(changes: Partial<ToolCallContext> = {}): ToolCallContext {
  return {
    era: '2026',
    signal: new AbortController().signal,
    requestId: 'request-1',
    clientCapabilities: {},
    meta: {},
    inputResponses: {},
    requestState: null,
    waitSeconds: null,
    ...changes,
  };
}

export function textOf(result: CompleteToolResult): string {
  return result.content.map((block) => String(block.text ?? '')).join('\n');
}

const messages = new WeakMap<CompleteToolResult, string>();

/** Keeps the message of an error, which its result has only together with the advice. */
const keepMessage: Interceptor = async (_call, next) => {
  const ending = await next();
  if (ending.error !== null) messages.set(ending.result, ending.error.message);
  return ending;
};

/** The error that a result tells; members that it leaves out are null. */
export function errorOf(result: CompleteToolResult): ToolError {
  if (result.isError !== true) throw new Error(`not an error: ${textOf(result)}`);
  const [text, json] = result.content.map((block) => String(block.text));
  const message = messages.get(result) ?? text;
  const unknown = { status: null, upstreamCode: null, details: null, retryAfterSeconds: null };
  return { ...unknown, message, ...JSON.parse(json ?? '') } as ToolError;
}
