import { describeOtherServer } from "./otherServerContract.ts";

describeOtherServer("ssh2");
