/** The control path of a running sandbox: look at what was asked, plan failures, without a restart. */

import { z } from 'zod';
import { MISBEHAVIOURS, type MisbehaviourPlan, misbehaviourSchema } from './misbehaviour.ts';
import type { RequestLog } from './request-log.ts';
import type { SandboxService, ServiceAnswer } from './service.ts';

export const CONTROL_PATH = '/__sandbox';

interface ControlRequest {
  readonly method: string;
  readonly pathname: string;
  readonly body: Buffer;
  readonly services: ReadonlyMap<string, SandboxService>;
  readonly plan: MisbehaviourPlan;
  readonly log: RequestLog;
}

/** The text that `--help` and `GET /__sandbox` show. */
export const CONTROL_HELP = {
  [`GET ${CONTROL_PATH}`]: 'services, their operations, and this help',
  [`GET ${CONTROL_PATH}/requests`]: 'the latest requests, oldest first',
  [`DELETE ${CONTROL_PATH}/requests`]: 'forget them',
  [`POST ${CONTROL_PATH}/misbehave`]: 'plan failures: {"kind", "service"?, "operationId"?, "times"?, ...}',
  [`DELETE ${CONTROL_PATH}/misbehave`]: 'forget planned failures',
} as const;

export function handleControl(request: ControlRequest): Pick<ServiceAnswer, 'status' | 'headers' | 'body'> {
  const { services, plan, log } = request;
  switch (`${request.method} ${request.pathname}`) {
    case `GET ${CONTROL_PATH}`: {
      const operations = [...services].map(([name, { descriptor }]) => [
        name,
        descriptor.operations.map(({ id, method, route }) => `${id}: ${method} /${name}${route}`),
      ]);
      return reply(200, { help: CONTROL_HELP, misbehaviours: MISBEHAVIOURS, services: Object.fromEntries(operations) });
    }
    case `GET ${CONTROL_PATH}/requests`:
      return reply(
        200,
        log.requests.map(({ bytes: _, ...request }) => request),
      );
    case `DELETE ${CONTROL_PATH}/requests`:
      log.clear();
      return reply(200, {});
    case `POST ${CONTROL_PATH}/misbehave`:
      return planFailure(request);
    case `DELETE ${CONTROL_PATH}/misbehave`:
      plan.clear();
      return reply(200, {});
    default:
      return reply(404, { message: 'No such control.', help: CONTROL_HELP });
  }
}

function planFailure({ body, services, plan }: ControlRequest): Pick<ServiceAnswer, 'status' | 'headers' | 'body'> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    return reply(400, { message: 'The body is not JSON.', misbehaviours: MISBEHAVIOURS });
  }
  const parsed = misbehaviourSchema.safeParse(json);
  if (!parsed.success) return reply(400, { message: z.prettifyError(parsed.error), misbehaviours: MISBEHAVIOURS });
  const { service, operationId } = parsed.data;
  const known = [...services].filter(([name]) => (service ?? name) === name);
  const operations = known.flatMap(([, { descriptor }]) => descriptor.operations.map(({ id }) => id));
  if (known.length === 0) return reply(400, { message: `Services: ${[...services.keys()].join(', ')}.` });
  if (operationId !== undefined && !operations.includes(operationId)) {
    return reply(400, { message: `Operations: ${operations.join(', ')}.` });
  }
  plan.add(parsed.data);
  return reply(200, { planned: parsed.data });
}

function reply(status: number, value: unknown): Pick<ServiceAnswer, 'status' | 'headers' | 'body'> {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) };
}
