import type { InlineCommand, InlineEvent, InlineMachine } from "../../model/ports.ts";

/** A machine of a state and the step from one to the next. */
export function machineOf<State>(
  state: State,
  step: (state: State, event: InlineEvent) => readonly [State, readonly InlineCommand[]],
): InlineMachine {
  return {
    step: (event) => {
      const [next, commands] = step(state, event);
      return [machineOf(next, step), commands];
    },
  };
}
