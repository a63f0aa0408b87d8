// Another process's daemon as a service of this one, so that a host that is only a client (`agtmux ui`, the desktop app
// beside a headless daemon) can serve the same router to its own surface. Nothing is kept: every call goes through.
import type { ReachableService } from "../api/service.ts";
import type { DaemonClient } from "./socketClient.ts";

/** Every method fails as the daemon does, or with E_DAEMON_UNAVAILABLE when it is gone. The client stays the caller's to close. */
export const createRemoteService = (client: DaemonClient): ReachableService => ({
  hello: () => client.hello,
  shutdown: () => client.call((api) => api.shutdown.mutate()),
  listPanes: (filters) => client.call((api) => api.panes.query(filters)),
  listWindows: (filters) => client.call((api) => api.windows.query(filters)),
  listSessions: (filters) => client.call((api) => api.sessions.query(filters)),
  listTargets: () => client.call((api) => api.targets.query()),
  targetAdd: (input) => client.call((api) => api.targetAdd.mutate(input)),
  sshAliases: () => client.call((api) => api.sshAliases.query()),
  targetChange: (input) => client.call((api) => api.targetChange.mutate(input)),
  targetConnect: (input) => client.call((api) => api.targetConnect.mutate(input)),
  targetRemove: (input) => client.call((api) => api.targetRemove.mutate(input)),
  feed: (options, signal) => client.feed(options, signal),
  notices: (signal) => client.notices(signal),
  lookNow: () => client.call((api) => api.lookNow.mutate()),
  explain: (ref) => client.call((api) => api.explain.query({ ref })),
  prepareAttach: (input) => client.call((api) => api.prepareAttach.mutate(input)),
  openAttach: (input) => client.call((api) => api.openAttach.mutate(input)),
  dismiss: (input) => client.call((api) => api.dismiss.mutate(input)),
  viewOutput: (input) => client.call((api) => api.viewOutput.mutate(input)),
  send: (input) => client.call((api) => api.send.mutate(input)),
  answer: (input) => client.call((api) => api.answer.mutate(input)),
  interrupt: (input) => client.call((api) => api.interrupt.mutate(input)),
  kill: (input) => client.call((api) => api.kill.mutate(input)),
  listAudit: (input) => client.call((api) => api.audit.query(input)),
  adapters: () => client.call((api) => api.adapters.query()),
  adapterCheck: (file) => client.call((api) => api.adapterCheck.mutate(file)),
  adapterSwitch: (input) => client.call((api) => api.adapterSwitch.mutate(input)),
  adapterTry: (input) => client.call((api) => api.adapterTry.mutate(input)),
  configGet: () => client.call((api) => api.configGet.query()),
  configSet: (input) => client.call((api) => api.configSet.mutate(input)),
  integrationList: (input) => client.call((api) => api.integrationList.query(input)),
  integrationChange: (input) => client.call((api) => api.integrationChange.mutate(input)),
  integrationVerify: (input) => client.call((api) => api.integrationVerify.mutate(input)),
  doctor: (input) => client.call((api) => api.doctor.mutate(input)),
});
