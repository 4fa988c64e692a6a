//! Lists the functions that most databases have, so that none is taken for one of the project by its name alone.

use crate::langs::semantics::BuiltinWords;

/// SQL's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords = BuiltinWords { globals: GLOBALS, members: "", member_prefix: None };

const GLOBALS: &str = "\
    abs array_agg avg cast ceil ceiling char_length coalesce concat concat_ws convert count cume_dist \
    current_date current_timestamp date date_add date_format date_part date_sub date_trunc datediff dateadd \
    dense_rank extract first_value floor format gen_random_uuid generate_series getdate greatest group_concat \
    ifnull isnull json_agg json_build_object jsonb_agg jsonb_build_object lag last_insert_id last_value lead \
    least left length lower lpad ltrim max md5 min mod newid nextval now ntile nullif nvl position power \
    rank regexp_replace replace right round row_number rpad rtrim setval split_part string_agg strftime substr \
    substring sum to_char to_date to_timestamp trim trunc unnest upper uuid_generate_v4 year";
