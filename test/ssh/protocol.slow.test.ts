import { describeOtherServer } from "./otherServerContract.ts";

describeOtherServer("openssh");
