/** Plans the request of an operation, once for all tools that call it. */

import type { DiagnosticCode } from '../diagnostics.ts';
import type { OperationModel, ServiceModel } from '../model/types.ts';
import { remember } from '../remember.ts';
import type { BodyPlan } from './body/context.ts';
import { planBody } from './body/index.ts';
import type { CredentialMembers } from './call-model.ts';
import type { CredentialPlan } from './connector/credential.ts';
import type { ServerCheck } from './connector/servers.ts';
import { operationKey } from './connector/tool-names.ts';
import type { Reporter } from './problems.ts';
import { credentialMembersOf, withoutCredentials } from './request/credential-places.ts';
import { planSlots, type SlotPlan } from './request/slots.ts';
import type { Resolve } from './schema/readers.ts';

export interface RequestPlan {
  readonly body: BodyPlan;
  readonly request: SlotPlan;
  /** Path parameters and body members that the credential fills. By wire name: ids of its parts. */
  readonly credentialFields: { readonly path: Readonly<Record<string, string>>; readonly body: CredentialMembers };
  /** The reason why there is no tool, as a text that follows "it". Null if there is one. */
  readonly refusal: string | null;
}

export type RequestPlanner = (operation: OperationModel) => RequestPlan;

interface PlanContext {
  readonly openapi: ServiceModel['openapi'];
  readonly credential: CredentialPlan;
  readonly serverProblemOf: ServerCheck;
  readonly resolve: Resolve;
  readonly report: Reporter;
}

export function createRequestPlanner(context: PlanContext): RequestPlanner {
  const plans = new Map<OperationModel, RequestPlan>();
  return (operation) => remember(plans, operation, () => planRequest(operation, context));
}

function planRequest(
  operation: OperationModel,
  { openapi, credential, serverProblemOf, resolve, report }: PlanContext,
): RequestPlan {
  const body = planBody(
    withoutCredentials(
      operation,
      [...credential.inBody, ...credential.repeatedInBody.map((name) => ({ id: '', name }))],
      resolve,
    ),
    { resolve, openapi },
    report,
  );
  const request = planSlots(operation, body, resolve, (parameter) => credential.isCredential(parameter));
  const secret = credential.refusalOf(operation);
  const styled = operation.parameters.find(
    ({ in: place, name, style }) => place === 'path' && credential.idInPath(name) !== undefined && style !== 'simple',
  );
  const unsendable = styled === undefined ? [] : [`needs the credential in the path as ${styled.style}`];
  const server = serverProblemOf(operation.server);
  const isWholeQuery = operation.parameters.some((parameter) => parameter.isWholeQuery);
  const refusals = [...request.refusals];
  if (isWholeQuery && credential.namesIn('query').length > 0) {
    refusals.push('sends the credential in a query that is one document');
  }
  const refuse = (code: DiagnosticCode, reasons: readonly string[], fix?: string) => {
    const message = `${operationKey(operation)} did not become a tool: it ${reasons.join('; it ')}.`;
    report.descriptor(code, operation.pointer, message, fix);
  };
  if (refusals.length > 0) refuse('operation-refused', refusals);
  if (server !== null) refuse('operation-server-invalid', [server.reason], server.fix);
  const reasons = [...refusals, ...unsendable];
  if (server !== null) reasons.push(server.reason);
  if (secret !== null) reasons.push(secret);
  const credentialFields = {
    path: Object.fromEntries(
      operation.parameters.flatMap(({ in: place, name }) => {
        const id = place === 'path' ? credential.idInPath(name) : undefined;
        return id === undefined ? [] : [[name, id]];
      }),
    ),
    body: credentialMembersOf(operation, body, credential.inBody, resolve),
  };
  return { body, request, credentialFields, refusal: reasons.length === 0 ? null : reasons.join('; it ') };
}
