#include "app/panels/tests/panels_fixture.hpp"
