import { type GatewayOptions, type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { postRpc } from '../../../support/post-rpc.ts';
import { LIBRARY } from '../../call/tools/limits/support.ts';

export const FEEDBACK = 'gateway_send_feedback';
export const OPERATOR_SECRET = 'the-secret-of-the-operator';

export function startWithFeedback(options: Partial<GatewayOptions> = {}): Promise<RunningGateway> {
  const env = { FEEDBACK: 'on', ADMIN_SECRET: OPERATOR_SECRET, ...options.env };
  return startGateway({ connectors: [LIBRARY], secretOf: () => '', ...options, env });
}

export async function listTools(gateway: RunningGateway): Promise<string[]> {
  const response = await postRpc(gateway, 'tools/list');
  const { result } = (await response.json()) as { result: { tools: readonly { readonly name: string }[] } };
  return result.tools.map(({ name }) => name);
}
