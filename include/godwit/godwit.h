// godwit/godwit.h: the whole public API.
#pragma once

#include "godwit/checkpoint.h"
#include "godwit/codec.h"
#include "godwit/groups.h"
#include "godwit/ids.h"
#include "godwit/lease.h"
#include "godwit/result.h"
#include "godwit/rule.h"
#include "godwit/sampling.h"
#include "godwit/session.h"
#include "godwit/table.h"
#include "godwit/table_spec.h"
#include "godwit/version.h"
#include "godwit/worker.h"
