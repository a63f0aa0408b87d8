// The agents that can be started on a machine, as surfaces offer them: what a person most likely wants comes first.

export interface StartableAgent {
  agent: string;
  agent_name: string;
}
