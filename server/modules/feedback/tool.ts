/** The tool by which an agent says what it could not do. */

import type { Kysely } from 'kysely';
import { redactText } from '../../base/http/log.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { SendLog } from '../../base/log-record.ts';
import { toPlainText } from '../../base/pages/html.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { defineEvents } from '../../base/store/events.ts';
import type { Database } from '../../base/store/schema.ts';
import { refuse } from '../../call/tools/call/call-outcome.ts';
import type { CodeTool } from '../../call/tools/call/dependencies.ts';
import type { CompleteToolResult } from '../../call/tools/provider.ts';
import { insertFeedback, type NewFeedback } from './table.ts';

/** Characters of one text. */
const MAX_TEXT = 2_000;
const PER_USER_AND_HOUR = 10;
const PER_PARTNER_AND_HOUR = 500;

export const FEEDBACK_EVENTS = defineEvents('feedback', { feedback_received: null });

/** Context of the tool. */
export interface FeedbackContext {
  readonly db: Kysely<Database>;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Sends feedback to the operator's collector of logs. Null if there is none. */
  sendLog: SendLog | null;
}

const DESCRIPTION =
  'Tells the operator of this gateway what you could not do for the user with its tools: a missing tool, argument or result, or an error that you cannot avoid. Not for questions: no one answers. Leave out personal data and secrets.';

const text = (description: string) => ({ type: 'string', description, minLength: 1, maxLength: MAX_TEXT }) as const;

export function createFeedbackTool(context: FeedbackContext): CodeTool {
  const { limits } = context;
  const hour = { durationSeconds: 3600 };
  const ofUser = limits.exact({ name: 'feedback of a user', points: PER_USER_AND_HOUR, ...hour });
  const ofPartner = limits.exact({ name: 'feedback of a partner', points: PER_PARTNER_AND_HOUR, ...hour });
  return {
    name: 'gateway_send_feedback',
    title: 'Send feedback',
    description: DESCRIPTION,
    isListed: () => true,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        tried: text('What you tried to do.'),
        missing: text('What was missing, or went wrong.'),
        tool: {
          type: 'string',
          description: 'Name of the tool, if it is about one.',
          pattern: '^[A-Za-z0-9_.-]{1,128}$',
        },
      },
      required: ['tried', 'missing'],
      additionalProperties: false,
    },
    async run(principal, args, { requestId }) {
      const { userId, partnerId } = principal;
      const waitSeconds = (await ofUser.consume(userId)) ?? (await ofPartner.consume(partnerId));
      if (waitSeconds !== null) return refuseForNow(waitSeconds);
      const feedback = toFeedback(principal, args, context.now());
      await store(context, feedback, { grantId: principal.grantId, requestId, realm: principal.realm });
      return answer('Thank you. The operator can read this. Go on without it: no one answers here.');
    },
  };
}

function answer(message: string): CompleteToolResult {
  return { content: [{ type: 'text', text: message }] };
}

function refuseForNow(waitSeconds: number): CompleteToolResult {
  return refuse('too_many_calls', {
    message: 'Enough feedback was sent for now.',
    advice: 'Do not send it again. Go on without it.',
    retryAfterSeconds: waitSeconds,
  }).result;
}

/** Removes what could disguise a text, and then secrets of the gateway. */
function clean(value: unknown): string {
  return redactText(toPlainText(String(value), MAX_TEXT) ?? '(nothing readable)');
}

function toFeedback(
  { partnerId, userId, clientId }: Principal,
  { tried, missing, tool }: Readonly<Record<string, unknown>>,
  now: number,
): NewFeedback {
  return {
    partner_id: partnerId,
    user_id: userId,
    client_id: clientId,
    tool: typeof tool === 'string' ? redactText(tool) : null,
    tried: clean(tried),
    missing: clean(missing),
    created_at: now,
  };
}

/** The request that brought feedback. */
interface FeedbackOrigin {
  /** Null for a minted token. */
  readonly grantId: string | null;
  readonly realm: Principal['realm'];
  readonly requestId: string;
}

async function store({ db, sendLog }: FeedbackContext, feedback: NewFeedback, origin: FeedbackOrigin): Promise<void> {
  const { partner_id: partnerId, user_id: userId, client_id: clientId, tool, created_at: now } = feedback;
  const { grantId, requestId, realm } = origin;
  const id = await db.transaction().execute(async (transaction) => {
    const insertedId = await insertFeedback(transaction, feedback);
    const partner = {
      type: 'feedback.received',
      data: { feedback_id: insertedId, tool, client_id: clientId },
    };
    const event = { type: 'feedback_received', now, partnerId, userId, clientId, grantId, requestId, partner } as const;
    await FEEDBACK_EVENTS.emit(transaction, event);
    return insertedId;
  });
  sendLog?.({
    name: 'gateway.feedback.received',
    at: now,
    severity: 'info',
    text: `Tried: ${feedback.tried}\nMissing: ${feedback.missing}`,
    attributes: {
      'gateway.feedback.id': id,
      'gateway.realm': realm,
      'gateway.partner.id': partnerId,
      'gateway.client.id': clientId ?? '',
      'gateway.request.id': requestId,
      'gen_ai.tool.name': tool ?? '',
      'user.id': userId,
    },
  });
}
