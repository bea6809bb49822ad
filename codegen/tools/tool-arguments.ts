/** The arguments of a tool: the places that they are sent in, the hints that decide about them, and the schemas that models see. */

import type { PlannedTool } from './connector/exposure.ts';
import { operationKey } from './connector/tool-names.ts';
import { buildAnnotations } from './effect/annotations.ts';
import { inferEffect } from './effect/infer.ts';
import type { RequestPlan } from './plan.ts';
import { buildArguments } from './request/arguments.ts';
import { assignArguments } from './request/assign.ts';
import { planIdempotency } from './request/idempotency.ts';
import { flattenMembers } from './request/nested-members.ts';
import { toChoiceRules, toRules } from './request/rules.ts';
import type { ToolContext } from './tool-context.ts';
import { reportFilled, reportLeftOut, reportWithoutForm } from './tool-diagnostics.ts';

export type ToolArguments = ReturnType<typeof planArguments>;

/** Plans the arguments of a tool, and the places that they are sent in. */
export function planArguments(planned: PlannedTool, plan: RequestPlan, context: ToolContext) {
  const { name, operation, config } = planned;
  const { graph, report } = context;
  const inferred = inferEffect(operation, graph.resolve);
  const hints = buildAnnotations(operation.method, inferred, config?.hints, ['tools', name, 'hints'], report);
  if (inferred.contradictedClaim !== undefined && hints.effectFrom !== undefined) {
    report.descriptor(
      'effect-claim-contradicted',
      operation.pointer,
      `${name} ${inferred.effect} because of ${inferred.evidence}; the server claims ${inferred.contradictedClaim}.`,
    );
  }
  const configuredTool = {
    name,
    config,
    isSelection: context.config.expose === 'selection',
    label: `${name} (${operationKey(operation)})`,
    pointer: operation.pointer,
    report,
  };
  const { slots: remainingSlots, header: idempotency } = planIdempotency(
    plan.request.slots,
    { ...configuredTool, writes: !hints.annotations.readOnlyHint },
    context.config,
    graph.resolve,
  );
  const { slots, tool } = flattenMembers(remainingSlots, plan.body, configuredTool, graph.resolve);
  const { assignments, constants } = assignArguments(slots, tool, context.config.defaults, context.usedDefaults);
  const assignedParameters = new Set(assignments.map(({ slot }) => slot?.parameter));
  reportLeftOut(planned, plan.request, report);
  reportFilled(planned, plan.request, report);
  reportWithoutForm(
    name,
    plan.request.withoutForm.filter((parameter) => assignedParameters.has(parameter)),
    report,
  );
  const args = buildArguments(operation, assignments, {
    toolName: name,
    mediaType: plan.body.kind === 'members' || plan.body.kind === 'whole' ? plan.body.mediaType : null,
    credentialNames: context.credential.namesIn,
    graph,
    findText: context.findText,
    report,
    fit: context.fit,
  });
  const choices = toChoiceRules(plan.body, { slots, assignments, constants, clear: args.clear });
  const rules = toRules(args.whole, choices, tool);
  return { hints, slots, assignments, constants, idempotency, rules, ...args };
}
